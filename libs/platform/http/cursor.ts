import { hash } from 'node:crypto';
import { ApiError } from './errors/api-error';

const CHECK_BYTES = 8;

/**
 * A list position: the order key of the last item shown, prefixed with a checksum over the list and the key, in
 * base64url. It is opaque but not secret: a forged one only starts the caller's own list at another place.
 *
 * @param list identifies the list including all of its filters, so that the cursor is valid for nothing else.
 */
export function encodeCursor(list: string, orderKey: string): string {
  return Buffer.concat([checksum(list, orderKey), Buffer.from(orderKey, 'utf8')]).toString('base64url');
}

/** The order key that was encoded for this list. @throws ApiError CURSOR_INVALID for anything else */
export function decodeCursor(list: string, cursor: string): string {
  const orderKey = Buffer.from(cursor, 'base64url').subarray(CHECK_BYTES).toString('utf8');
  // Decoding skips invalid characters. Only a text that encodes to itself was created here.
  if (encodeCursor(list, orderKey) !== cursor) throw new ApiError('CURSOR_INVALID');
  return orderKey;
}

function checksum(list: string, orderKey: string): Buffer {
  return hash('sha256', JSON.stringify([list, orderKey]), 'buffer').subarray(0, CHECK_BYTES);
}
