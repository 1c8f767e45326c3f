import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** Headers of the protocol, in lower case. */
export const REQUEST_ID = 'x-request-id';
export const TIMESTAMP = 'x-timestamp';
export const SIGNATURE = 'x-signature';
export const MODE = 'x-gateway-mode';

/** Whether the gateway that answers moves money. */
export const GATEWAY_MODES = ['live', 'sandbox'] as const;
export type GatewayMode = (typeof GATEWAY_MODES)[number];

/** How much a request's time may differ from the receiver's, either way. */
export const MAX_TIME_DIFFERENCE_MS = 300_000;

const REQUEST_ID_PATTERN = /^[\x21-\x7e]{1,128}$/;
const SIGNATURE_PATTERN = /^sha256=([0-9a-f]{64})$/;
const TIME_PATTERN = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

/**
 * A request in one of the two directions. Both share one secret, so the direction is signed too: a message sent to one
 * side is never valid for the other.
 */
export interface SignedRequest {
  readonly direction: 'request' | 'callback';
  readonly method: string;
  /** Exactly as in the request line, including a query. */
  readonly path: string;
  readonly requestId: string;
  /** RFC 3339, UTC. */
  readonly timestamp: string;
  /** The raw bytes; none for a request without a body. */
  readonly body: Uint8Array;
}

export interface SignedAnswer {
  readonly status: number;
  readonly mode: GatewayMode;
  /** Of the request that it answers: an answer is valid for that request only. */
  readonly requestId: string;
  readonly body: Uint8Array;
}

/** `sha256=<hex>` of the HMAC-SHA256, keyed with the UTF-8 bytes of the configured secret. */
export function signRequest(secret: string, request: SignedRequest): string {
  const { direction, method, path, timestamp, requestId, body } = request;
  return sign(secret, [direction, method, path, timestamp, requestId, bodyHash(body)]);
}

export function signAnswer(secret: string, { status, mode, requestId, body }: SignedAnswer): string {
  return sign(secret, ['answer', String(status), mode, requestId, bodyHash(body)]);
}

/** Compares in constant time; any other spelling of the signature is wrong. */
export function isRequestSigned(secret: string, signature: string, request: SignedRequest): boolean {
  return isSame(signature, signRequest(secret, request));
}

export function isAnswerSigned(secret: string, signature: string, answer: SignedAnswer): boolean {
  return isSame(signature, signAnswer(secret, answer));
}

export function isGatewayMode(text: string | null): text is GatewayMode {
  return GATEWAY_MODES.some((mode) => mode === text);
}

export function isRequestId(text: string): boolean {
  return REQUEST_ID_PATTERN.test(text);
}

export function isTimely(timestamp: string, nowMs: number): boolean {
  const timeMs = parseTime(timestamp);
  return timeMs !== null && Math.abs(nowMs - timeMs) <= MAX_TIME_DIFFERENCE_MS;
}

/** Milliseconds since the epoch of an RFC 3339 time in UTC, spelled with `Z`; null for anything else. */
export function parseTime(given: string): number | null {
  const text = given.toUpperCase();
  if (!TIME_PATTERN.test(text)) return null;
  const timeMs = Date.parse(text);
  // Refuses dates that do not exist: Date.parse would read 30 February as 2 March.
  if (Number.isNaN(timeMs) || new Date(timeMs).toISOString().slice(0, 19) !== text.slice(0, 19)) return null;
  return timeMs;
}

function bodyHash(body: Uint8Array): string {
  return hash('sha256', body, 'hex');
}

function sign(secret: string, lines: readonly string[]): string {
  return `sha256=${createHmac('sha256', secret).update(lines.join('\n')).digest('hex')}`;
}

function isSame(given: string, expected: string): boolean {
  if (!SIGNATURE_PATTERN.test(given)) return false;
  return timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}
