import { ERROR_CATALOGUE, type ErrorCode } from '@app/platform/http/errors/catalogue';
import type { AuditorAccess, MerchantAccess, OperatorAccess } from '@app/platform/http/authentication/access';
import type { RouteShape } from '@app/platform/http/route-table';
import type { OperationDoc } from '@app/platform/http/openapi/operation-docs';

/** Possible for any request; most occur before the path is considered. */
const OF_ALL: readonly ErrorCode[] = [
  'MALFORMED_REQUEST',
  'REQUEST_ID_INVALID',
  'REQUEST_TIMEOUT',
  'BODY_TOO_LARGE',
  'EXPECTATION_FAILED',
  'HEADERS_TOO_LARGE',
  'INTERNAL_ERROR',
];

const OF_MERCHANTS: readonly ErrorCode[] = [
  'UNAUTHENTICATED',
  'SIGNATURE_INVALID',
  'TIMESTAMP_OUT_OF_RANGE',
  'MERCHANT_MISMATCH',
  'SCOPE_MISSING',
  'MERCHANT_SUSPENDED',
  'RATE_LIMITED',
  // For the merchant's own stream, or a requested one.
  'HISTORY_DAMAGED',
  // Also for operations that don't read the log: without it, no token can be confirmed as valid.
  'EVENT_STORE_UNAVAILABLE',
];

/** What an auditor reads is recorded in the log before it is given. */
const OF_AUDITORS: readonly ErrorCode[] = [
  'UNAUTHENTICATED',
  'RATE_LIMITED',
  'HISTORY_DAMAGED',
  'EVENT_STORE_UNAVAILABLE',
];

const OF_BODIES: readonly ErrorCode[] = ['MALFORMED_JSON', 'VALIDATION_FAILED'];
/** The codes of an Idempotency-Key. Without a body, all requests with the same key are the same request. */
function ofKey({ idempotencyKey, body }: OperatorAccess | AuditorAccess | MerchantAccess): readonly ErrorCode[] {
  if (idempotencyKey === 'none') return [];
  return [
    ...(idempotencyKey === 'required' ? (['IDEMPOTENCY_KEY_MISSING'] as const) : []),
    'IDEMPOTENCY_KEY_INVALID',
    ...(idempotencyKey !== 'ignored' && body === 'json' ? (['IDEMPOTENCY_KEY_REUSED'] as const) : []),
  ];
}

/** Every code that the operation can return, by HTTP status. */
export function errorsOf(route: RouteShape, doc: OperationDoc): ReadonlyMap<number, readonly ErrorCode[]> {
  const { access, query, method } = route;
  const codes = new Set<ErrorCode>(OF_ALL);
  const add = (more: readonly ErrorCode[]): void => more.forEach((code) => codes.add(code));
  if (access.kind === 'merchant') add(OF_MERCHANTS);
  if (access.kind === 'auditor') add(OF_AUDITORS);
  if (access.kind === 'operator') add(['UNAUTHENTICATED', 'RATE_LIMITED']);
  const changes = access.kind === 'merchant' ? access.writes : access.kind === 'operator' && method !== 'GET';
  const readsModel = doc.errors?.includes('READ_MODEL_REBUILDING') === true;
  // For operators' reads, the operation's own documentation lists them.
  if (access.kind === 'operator' && changes) add(['EVENT_STORE_UNAVAILABLE', 'HISTORY_DAMAGED']);
  // Too many changes to one stream, or an unavailable read model. Reads that can fall back to the log do so.
  if ((changes && doc.writesNewStream !== true) || readsModel) add(['BUSY']);
  if (access.body === 'json') add(OF_BODIES);
  // Also if a body was sent but none is expected.
  if (method !== 'GET') add(['MEDIA_TYPE_NOT_SUPPORTED']);
  if (access.kind !== 'public') add(ofKey(access));
  if (query !== null) add(['VALIDATION_FAILED']);
  if (query !== null && 'cursor' in Object(query['properties'])) add(['CURSOR_INVALID']);
  add(doc.errors ?? []);
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERROR_CATALOGUE[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return new Map([...byStatus].sort(([one], [other]) => one - other));
}
