import type { IncomingMessage } from 'node:http';
import { ApiError } from '../errors/api-error';
import { countHeader, headerOf } from './headers';

/**
 * Parameters other than the charset have no meaning for JSON (RFC 8259) and are accepted, as are empty ones (RFC 9110,
 * 5.6.6).
 */
const JSON_TYPE =
  /^application\/json[\t ]*(?:;[\t ]*(?:[!#$%&'*+.^_`|~0-9a-z-]+=(?:[!#$%&'*+.^_`|~0-9a-z-]+|"[^"\\]*")[\t ]*)?)*$/i;
const CHARSET = /;[\t ]*charset=("?)([^";\t ]*)\1/gi;

/** @throws ApiError if there is a body that is not declared as uncompressed JSON in UTF-8. */
export function requireJson(request: IncomingMessage): void {
  const contentType = headerOf(request, 'content-type');
  if (contentType === null) {
    // A body without a type is refused here; an empty one is refused later, as JSON.
    if (announcesBody(request)) throw new ApiError('MEDIA_TYPE_NOT_SUPPORTED');
    return;
  }
  const encoding = headerOf(request, 'content-encoding');
  const isPlain = encoding === null || encoding.toLowerCase() === 'identity';
  if (!isPlain || !isJson(contentType) || countHeader(request, 'content-type') !== 1) {
    throw new ApiError('MEDIA_TYPE_NOT_SUPPORTED');
  }
}

function isJson(contentType: string): boolean {
  if (contentType === 'application/json') return true;
  if (!JSON_TYPE.test(contentType)) return false;
  return [...contentType.matchAll(CHARSET)].every(([, , charset]) => /^utf-?8$/i.test(charset ?? ''));
}

/** Whether the headers announce a body; a chunked one counts even if it is empty. */
export function announcesBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}
