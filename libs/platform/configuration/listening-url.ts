/** As a URL writes them: the addresses that stand for every address of this machine, and how this machine reaches them. */
const LOOPBACK_OF: Readonly<Record<string, string>> = {
  '0.0.0.0': '127.0.0.1',
  '[::]': '[::1]',
  '[::ffff:0:0]': '127.0.0.1',
};

/**
 * The host and port of what listens there, to be written into a URL that a program on this machine can open. What listens on
 * all addresses is reached over the loopback one: browsers refuse `0.0.0.0`.
 */
export function authorityOf(host: string, port: number | string): string {
  const written = host.includes(':') ? `[${host}]` : host;
  const spelled = URL.canParse(`http://${written}`) ? new URL(`http://${written}`).hostname : written;
  return `${LOOPBACK_OF[spelled] ?? written}:${port}`;
}

/** Where HTTP that listens at this host and port is reached from this machine. */
export function httpUrl(host: string, port: number | string): string {
  return `http://${authorityOf(host, port)}`;
}
