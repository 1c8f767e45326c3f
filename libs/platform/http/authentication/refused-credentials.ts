import { isoTime } from '@app/event-sourcing';
import { ApiError } from '../errors/api-error';
import { isSignature } from './signature';
import { MAX_AGE_MS, MAX_AHEAD_MS, parseTimestamp } from './timestamp';

/*
 * What a client learns about refused credentials: only what its own request shows. Answers never reveal whether a token
 * or secret exists, nor what is wrong with a well-formed signature.
 */

const GUIDE = '/docs#signing-requests';

export function notTheOperator(): ApiError {
  const message =
    "Send the operator's token as Authorization: Bearer <token>. A merchant's access token does not open what begins with /admin.";
  return new ApiError('UNAUTHENTICATED', { message });
}

export function notAnAuditor(): ApiError {
  const message =
    "Send a valid auditor's token as Authorization: Bearer <token>. No other token opens what begins with /audit.";
  return new ApiError('UNAUTHENTICATED', { message });
}

export function notSigned(): ApiError {
  const message = `This request has to be signed: send X-Merchant-ID, X-Timestamp and X-Signature as ${GUIDE} shows.`;
  return new ApiError('SIGNATURE_INVALID', { message });
}

export function signatureRefused(signature: string | null): ApiError {
  return new ApiError('SIGNATURE_INVALID', { message: signatureText(signature) });
}

function signatureText(signature: string | null): string {
  if (signature === null) {
    return `The X-Signature is missing: a request with an X-Timestamp has to be signed, as ${GUIDE} shows.`;
  }
  if (!isSignature(signature)) {
    return 'The X-Signature must be a single header: sha256= and 64 lower-case hexadecimal digits.';
  }
  return `The X-Signature is not that of this request as it was received: compare the six lines with ${GUIDE}, and the signing secret with the merchant's.`;
}

/** Includes the server's time, because the usual cause is a wrong clock at the client. */
export function timestampRefused(timestamp: string | null, nowMs: number): ApiError {
  return new ApiError('TIMESTAMP_OUT_OF_RANGE', { message: timestampText(timestamp, isoTime(nowMs)) });
}

function timestampText(timestamp: string | null, now: string): string {
  if (timestamp === null) {
    return `The X-Timestamp is missing: send when the request was signed, as RFC 3339 in UTC, such as ${now}.`;
  }
  if (parseTimestamp(timestamp) === null) {
    return `The X-Timestamp must be a single header, an RFC 3339 time in UTC such as ${now}.`;
  }
  const [ageSeconds, aheadSeconds] = [MAX_AGE_MS / 1000, MAX_AHEAD_MS / 1000];
  return `The X-Timestamp must be at most ${ageSeconds} seconds old and ${aheadSeconds} seconds ahead; the server's time is ${now}.`;
}
