import { accepted, type Decider } from '@app/event-sourcing';
import type { RequestAnswered } from './events';
import { answeredRequestSchemas } from './schemas';

export * from './events';
export { answeredRequestSchemas } from './schemas';

export const REQUEST_STREAM_PREFIX = 'request-';

/** @param requestId 26 characters, derived from the request's scope, operation and Idempotency-Key. */
export function requestStreamId(requestId: string): string {
  return REQUEST_STREAM_PREFIX + requestId;
}

export type AnsweredRequest = RequestAnswered['data'];

export type RecordAnswer = { readonly type: 'RecordAnswer' } & AnsweredRequest;

/** The first answer stands. */
export const answeredRequestDecider: Decider<AnsweredRequest | null, RecordAnswer, RequestAnswered, never> = {
  schemas: answeredRequestSchemas,
  initialState: null,
  evolve: (answered, { data }) => answered ?? data,
  decide: ({ type: _type, ...data }, answered) =>
    answered === null ? accepted<RequestAnswered>({ type: 'RequestAnswered', data }) : accepted(),
};
