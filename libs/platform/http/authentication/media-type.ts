import type { IncomingMessage } from 'node:http';
import { ApiError } from '../errors/api-error';
import { countHeader, headerOf } from './headers';

/** Parameters other than the charset mean nothing for JSON (RFC 8259), and are let pass; empty ones, too (RFC 9110, 5.6.6). */
const JSON_TYPE =
  /^application\/json[\t ]*(?:;[\t ]*(?:[!#$%&'*+.^_`|~0-9a-z-]+=(?:[!#$%&'*+.^_`|~0-9a-z-]+|"[^"\\]*")[\t ]*)?)*$/i;
const CHARSET = /;[\t ]*charset=("?)([^";\t ]*)\1/gi;

/** @throws ApiError unless the body, if there is one, is announced as uncompressed JSON in UTF-8. */
export function requireJson(request: IncomingMessage): void {
  const contentType = headerOf(request, 'content-type');
  if (contentType === null) {
    // A body without a type; an empty one is refused as JSON instead.
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

/** Whether the headers say that a body follows, be it an empty one in chunks. */
export function announcesBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}
