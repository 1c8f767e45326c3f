/** The wildcard addresses as URLs spell them, and the loopback address that reaches each from this machine. */
const LOOPBACK_OF: Readonly<Record<string, string>> = {
  '0.0.0.0': '127.0.0.1',
  '[::]': '[::1]',
  '[::ffff:0:0]': '127.0.0.1',
};

/**
 * Host and port for a URL that a program on this machine can open. A wildcard address is replaced by the loopback
 * address, because browsers refuse `0.0.0.0`.
 */
export function authorityOf(host: string, port: number | string): string {
  const written = host.includes(':') ? `[${host}]` : host;
  const spelled = URL.canParse(`http://${written}`) ? new URL(`http://${written}`).hostname : written;
  return `${LOOPBACK_OF[spelled] ?? written}:${port}`;
}

/** The URL at which an HTTP server with this host and port is reached from this machine. */
export function httpUrl(host: string, port: number | string): string {
  return `http://${authorityOf(host, port)}`;
}
