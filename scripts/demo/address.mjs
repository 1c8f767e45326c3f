// Where the service is looked for, told as the service itself is told.

/**
 * COUNTERFOIL_URL, or else where a service with the same HOST and PORT listens; without a slash at its end. A host that stands
 * for all addresses is reached over the loopback one.
 */
export function serviceUrl(environment) {
  const { COUNTERFOIL_URL: url, HOST: host, PORT: port } = environment;
  if (url) return url.replace(/\/+$/, '');
  const name = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? (host || '127.0.0.1');
  return `http://${name.includes(':') ? `[${name}]` : name}:${port || 3000}`;
}
