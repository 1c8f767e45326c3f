import { hash } from 'node:crypto';
import { ApiError } from './errors/api-error';

const CHECK_BYTES = 8;

/**
 * Where a list goes on: the order key of the last item shown, in base64url behind a checksum of the list and the key. It is
 * opaque, not secret: whoever makes one up only begins at another place of a list that is theirs.
 *
 * @param list names the list with all of its filters, so that a cursor is good for nothing else.
 */
export function encodeCursor(list: string, orderKey: string): string {
  return Buffer.concat([checksum(list, orderKey), Buffer.from(orderKey, 'utf8')]).toString('base64url');
}

/** The order key that `encodeCursor` was given for this very list. @throws ApiError CURSOR_INVALID for anything else */
export function decodeCursor(list: string, cursor: string): string {
  const orderKey = Buffer.from(cursor, 'base64url').subarray(CHECK_BYTES).toString('utf8');
  // Decoding skips what it can't read; only what encodes to the same text again was made here.
  if (encodeCursor(list, orderKey) !== cursor) throw new ApiError('CURSOR_INVALID');
  return orderKey;
}

function checksum(list: string, orderKey: string): Buffer {
  return hash('sha256', JSON.stringify([list, orderKey]), 'buffer').subarray(0, CHECK_BYTES);
}
