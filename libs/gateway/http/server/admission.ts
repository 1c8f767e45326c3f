import type { Clock } from '@app/event-sourcing';

import {
  isRequestId,
  isRequestSigned,
  isTimely,
  REQUEST_ID,
  SIGNATURE,
  type SignedRequest,
  TIMESTAMP,
} from '../signing';

/** A request as received over HTTP. */
export interface Incoming {
  readonly method: string;
  /** Exactly as in the request line. */
  readonly path: string;
  /** Names are in lower case; a repeated header has all its values, joined as Node does. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
}

/**
 * The request's id if its signature and time are valid; otherwise null. Requests are not remembered: one that is
 * replayed while its time is valid does no more than the first.
 */
export function admittedRequestId(
  direction: SignedRequest['direction'],
  { method, path, headers, body }: Incoming,
  { secret, clock }: { readonly secret: string; readonly clock: Clock },
): string | null {
  const [requestId, timestamp, signature] = [REQUEST_ID, TIMESTAMP, SIGNATURE].map((name) => headers[name]);
  if (typeof requestId !== 'string' || typeof timestamp !== 'string' || typeof signature !== 'string') return null;
  if (!isRequestId(requestId) || !isTimely(timestamp, clock.nowMs())) return null;
  return isRequestSigned(secret, signature, { direction, method, path, timestamp, requestId, body }) ? requestId : null;
}
