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

/** A request as it came over HTTP. */
export interface Incoming {
  readonly method: string;
  /** As it stands in the request line. */
  readonly path: string;
  /** With lower-case names; a repeated header has all its values, as Node joins them. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
}

/**
 * The request's id when its signature and time are right; else null. Nothing is remembered of requests: one that is played
 * again while its time is good is a repetition, and repeating does no more than the first did.
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
