import { hash } from 'node:crypto';

/** Each part as `<length in bytes>:<UTF-8 bytes>,`, so that no two lists give the same text. */
export function netstrings(parts: readonly string[]): string {
  let framed = '';
  for (const part of parts) framed += `${Buffer.byteLength(part)}:${part},`;
  return framed;
}

export function netstringsDigest(parts: readonly string[]): string {
  return hash('sha256', netstrings(parts), 'hex');
}
