/** Where whoever is on the same machine reaches what listens there: over the loopback address where the host stands for all addresses. */
export function reachableUrl(host: string, port: number | string): string {
  const reached = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}
