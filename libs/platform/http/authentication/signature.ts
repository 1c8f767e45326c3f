import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** What a signature covers. An absent header is an empty string. */
export interface SignedRequest {
  readonly method: string;
  /** Exactly as in the request line. */
  readonly pathWithQuery: string;
  readonly timestamp: string;
  readonly merchantId: string;
  readonly idempotencyKey: string;
  /** The raw bytes, before any parsing. */
  readonly body: Uint8Array;
}

const SIGNATURE = /^sha256=([0-9a-f]{64})$/;

/** Whether the text has the form of a signature. */
export function isSignature(text: string): boolean {
  return SIGNATURE.test(text);
}

/** The six lines that are signed. */
export function signedText(request: SignedRequest): string {
  const { method, pathWithQuery, timestamp, merchantId, idempotencyKey, body } = request;
  return [method, pathWithQuery, timestamp, merchantId, idempotencyKey, hash('sha256', body, 'hex')].join('\n');
}

/**
 * Whether `signature` (`sha256=<64 lower-case hex digits>`, nothing else) is the HMAC-SHA256 of the request under one
 * of the secrets, whose printed UTF-8 bytes are the key. Takes the same time for every wrong signature.
 */
export function isSignedBy(secrets: readonly string[], signature: string, request: SignedRequest): boolean {
  const given = SIGNATURE.exec(signature)?.[1];
  if (given === undefined) return false;
  const digest = Buffer.from(given, 'hex');
  const text = signedText(request);
  let isValid = false;
  for (const secret of secrets) {
    if (timingSafeEqual(createHmac('sha256', secret).update(text).digest(), digest)) isValid = true;
  }
  return isValid;
}
