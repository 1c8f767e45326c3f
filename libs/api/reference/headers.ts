import type { RouteAccess } from '@app/platform/http/authentication/access';
import type { AnswerHeader } from '@app/platform/http/openapi/operation-docs';
import { id, type JsonObject, TEXT } from '@app/platform/http/openapi/schema';

interface HeaderDoc {
  readonly description: string;
  readonly schema: JsonObject;
  readonly example: string | number;
}

export const REQUEST_HEADERS = {
  'X-Request-ID': {
    description:
      'Your identifier of this request, for logs and for questions to us. The answer repeats it. Absent: the service makes one up.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,128}$' },
    example: '5f0c3f9e-8b0a-4b0e-9d53-0d2d6a0f6f11',
  },
  'X-Merchant-ID': {
    description: 'The merchant of the access token. Wherever you send it, another merchant is 403 `MERCHANT_MISMATCH`.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_]{1,64}$' },
    example: 'mer_demo',
  },
  'X-Timestamp': {
    description:
      'When you signed the request: RFC 3339 in UTC, at most 300 seconds old and 60 seconds ahead. Required with every signature.',
    schema: { type: 'string', format: 'date-time' },
    example: '2030-01-01T00:00:00.000Z',
  },
  'X-Signature': {
    description:
      'The HMAC-SHA256 of the request, as the guide *Signing requests* shows. A signature that is there is always verified.',
    schema: { type: 'string', pattern: '^sha256=[0-9a-f]{64}$' },
    example: 'sha256=d3f1c1f2c3d89e2f8f4a5f1f0a7d2a1b5c6e7f8091a2b3c4d5e6f708192a3b4c',
  },
  'Idempotency-Key': {
    description:
      'A new key for each operation, and the same key for each retry of it. Keys never expire: a retry gets the first answer. ' +
      'Operations that change nothing take a key and ignore it.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
    example: 'order-1042-attempt-1',
  },
} as const satisfies Readonly<Record<string, HeaderDoc>>;

export type RequestHeader = keyof typeof REQUEST_HEADERS;

/** The headers that a route reads, and whether they are required. Authorization is covered by the security schemes. */
export function requestHeadersOf(access: RouteAccess): ReadonlyMap<RequestHeader, boolean> {
  const headers = new Map<RequestHeader, boolean>([['X-Request-ID', false]]);
  if (access.kind !== 'public' && access.idempotencyKey !== 'none') {
    headers.set('Idempotency-Key', access.idempotencyKey === 'required');
  }
  if (access.kind !== 'merchant') return headers;
  headers.set('X-Merchant-ID', access.signed).set('X-Timestamp', access.signed).set('X-Signature', access.signed);
  return headers;
}

type OfErrors = 'WWW-Authenticate' | 'Retry-After' | 'Allow';
type OfAll = 'X-Request-ID' | 'RateLimit' | 'RateLimit-Policy';

export const ANSWER_HEADERS: Readonly<Record<AnswerHeader | OfErrors | OfAll, HeaderDoc>> = {
  'X-Request-ID': {
    ...REQUEST_HEADERS['X-Request-ID'],
    description: 'The one of the request, or the one that the service made up.',
  },
  'RateLimit-Policy': {
    description:
      "The merchant's limit: `q` requests may be made at once, and `w` seconds refill all of them; lists and batches count as more than one. Absent where there is no limit.",
    schema: { type: 'string', pattern: '^"default";q=[0-9]+;w=[0-9]+$' },
    example: '"default";q=400;w=2',
  },
  RateLimit: {
    description:
      'How the merchant stands: `r` requests may be made right now, and after `t` seconds at least one more (absent while none is used up).',
    schema: { type: 'string', pattern: '^"default";r=[0-9]+(;t=[0-9]+)?$' },
    example: '"default";r=399;t=1',
  },
  Location: {
    description: 'The path of what was created.',
    schema: { type: 'string', pattern: '^/' },
    example: '/api/v2/payments/pay_01JGFJJZ00Q8V5T3N7R2M4K6H9',
  },
  'X-Transaction-ID': {
    description: "The payment's first transaction.",
    schema: id('txn'),
    example: 'txn_01JGFJJZ00AAT5T3N7R2M4K6H9',
  },
  'X-Processing-Time': {
    description: 'How long the service took, in whole milliseconds.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
    example: '12',
  },
  'Cache-Control': {
    description: 'Who may cache the answer, and for how long.',
    schema: TEXT,
    example: 'private, max-age=5',
  },
  'Content-Security-Policy': {
    description: 'What the page may load: only what this service serves.',
    schema: TEXT,
    example: "default-src 'none'",
  },
  'Content-Encoding': {
    description: 'How the answer is compressed: by the best of these that `Accept-Encoding` names. Absent otherwise.',
    schema: { type: 'string', enum: ['br', 'gzip'] },
    example: 'br',
  },
  Vary: {
    description: 'The request headers that the answer depends on, for caches.',
    schema: TEXT,
    example: 'Accept-Encoding',
  },
  ETag: {
    description: 'The version of the answer. Send it as `If-None-Match`: the answer is 304 while nothing has changed.',
    schema: { type: 'string', pattern: '^"[A-Za-z0-9_-]+"$' },
    example: '"2jmj7l5rSw0yVb_vlWAYkK_YBwk9Xt2dM4Hj0Nf3gkc"',
  },
  'Idempotent-Replayed': {
    description: '`true` on a retry: this is the first answer again, and nothing was done. Absent otherwise.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  'WWW-Authenticate': {
    description: 'The authentication scheme to use.',
    schema: { type: 'string', enum: ['Bearer'] },
    example: 'Bearer',
  },
  'Retry-After': {
    description: 'How many seconds to wait before you repeat the request.',
    schema: { type: 'string', pattern: '^[1-9][0-9]*$' },
    example: '5',
  },
  Allow: { description: 'The methods that the path takes.', schema: TEXT, example: 'GET, HEAD' },
};

export type AnyAnswerHeader = keyof typeof ANSWER_HEADERS;

/** Headers that are only on some responses; all others are on every response of their kind. */
const SOMETIMES: ReadonlySet<AnyAnswerHeader> = new Set([
  'RateLimit',
  'RateLimit-Policy',
  'Idempotent-Replayed',
  'Content-Encoding',
]);

export function answerHeaders(names: readonly AnyAnswerHeader[]): JsonObject {
  return Object.fromEntries(
    names.map((name) => [
      name,
      SOMETIMES.has(name)
        ? { $ref: `#/components/headers/${name}` }
        : { required: true, ...(ANSWER_HEADERS[name] as unknown as JsonObject) },
    ]),
  );
}

export function headerComponents(): JsonObject {
  return Object.fromEntries([...SOMETIMES].map((name) => [name, ANSWER_HEADERS[name] as unknown as JsonObject]));
}
