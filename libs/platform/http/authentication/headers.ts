import type { IncomingMessage } from 'node:http';

/**
 * How many times the request has the header; `name` in lower case. Node keeps only the first Authorization or
 * Content-Type, but a proxy in front may have judged the last. Other repeated headers arrive joined by a comma and a
 * space, which none of our headers may contain.
 */
export function countHeader(request: IncomingMessage, name: string): number {
  const { rawHeaders } = request;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const raw = rawHeaders[index];
    if (raw?.length === name.length && raw.toLowerCase() === name) count += 1;
  }
  return count;
}

/** The header's value, or null if absent. Repeated values are joined by a comma and a space. */
export function headerOf(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name];
  if (value === undefined) return null;
  return typeof value === 'string' ? value : value.join(', ');
}

/** Whether `100-continue` is the only expectation: the client waits for 100 Continue before it sends the body. */
export function isContinueAlone(request: IncomingMessage): boolean {
  return headerOf(request, 'expect')?.toLowerCase() === '100-continue';
}
