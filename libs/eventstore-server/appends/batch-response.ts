import { EventStoreUnavailableError, StreamDeletedError, WrongExpectedRevisionError } from '@app/event-sourcing';
import { type LogAppendResult, NO_REVISION } from '@app/stores/sqlite';
import {
  AllStreamPosition,
  BadRequest,
  MaximumAppendSizeExceeded,
  StreamDeleted,
  Timeout,
  Unknown,
  WrongExpectedVersion,
} from '@eventstore/db-client/generated/shared_pb';
import { Status } from '@eventstore/db-client/generated/status_pb';
import { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb';
import { status } from '@grpc/grpc-js';
import { Any } from 'google-protobuf/google/protobuf/any_pb';
import { Empty } from 'google-protobuf/google/protobuf/empty_pb';
import { ProtocolError } from '../errors';
import { writeExpectation } from '../wire/expectation';
import { writeStreamName } from '../wire/stream-name';
import type { BatchIdentity } from './batch-request';

/** The append's deadline has passed, or the log failed: whether it was written is unknown. */
export class AppendTimeoutError extends Error {
  constructor() {
    super('The deadline has passed');
    this.name = 'AppendTimeoutError';
  }
}

interface Problem {
  readonly code: status;
  readonly type: string;
  readonly detail: { serializeBinary(): Uint8Array };
}

export function batchSuccess(to: BatchIdentity, { revision, position }: LogAppendResult): BatchAppendResp {
  const success = new BatchAppendResp.Success();
  if (revision === NO_REVISION) success.setNoStream(new Empty());
  else success.setCurrentRevision(String(revision));
  const at = String(position);
  success.setPosition(new AllStreamPosition().setCommitPosition(at).setPreparePosition(at));
  return answer(to).setSuccess(success);
}

/** Always includes details and the stream's name: the official client never settles an append answered without them. */
export function batchError(to: BatchIdentity, error: Error): BatchAppendResp {
  const { code, type, detail } = problemOf(error, to);
  const details = new Any();
  details.pack(detail.serializeBinary(), `event_store.client.${type}`);
  // Both enumerations are gRPC's codes.
  const message = new Status().setMessage(type).setDetails(details);
  message.setCode(code as number);
  return answer(to).setError(message);
}

function problemOf(error: Error, { streamIdentifier }: BatchIdentity): Problem {
  if (error instanceof WrongExpectedRevisionError) {
    return { code: status.ALREADY_EXISTS, type: 'WrongExpectedVersion', detail: wrongVersion(error) };
  }
  if (error instanceof StreamDeletedError) {
    const detail = new StreamDeleted().setStreamIdentifier(streamIdentifier);
    return { code: status.NOT_FOUND, type: 'StreamDeleted', detail };
  }
  // Clients treat both alike: they resend the append with the same ids.
  if (error instanceof AppendTimeoutError || error instanceof EventStoreUnavailableError) {
    return { code: status.DEADLINE_EXCEEDED, type: 'Timeout', detail: new Timeout() };
  }
  const limit = error instanceof ProtocolError ? error.trailers['maximum-append-size'] : undefined;
  if (limit !== undefined) {
    const detail = new MaximumAppendSizeExceeded().setMaxappendsize(Number(limit));
    return { code: status.INVALID_ARGUMENT, type: 'MaximumAppendSizeExceeded', detail };
  }
  if (error instanceof ProtocolError) {
    return { code: error.code, type: 'BadRequest', detail: new BadRequest().setMessage(error.message) };
  }
  return { code: status.UNKNOWN, type: 'Unknown', detail: new Unknown() };
}

function wrongVersion({ expected, actual }: WrongExpectedRevisionError): WrongExpectedVersion {
  const detail = new WrongExpectedVersion();
  if (actual === null) detail.setCurrentNoStream(new Empty());
  else detail.setCurrentStreamRevision(String(actual));
  writeExpectation(expected, new Empty(), {
    revision: (value) => detail.setExpectedStreamPosition(value),
    any: (nothing) => detail.setExpectedAny(nothing),
    noStream: (nothing) => detail.setExpectedNoStream(nothing),
    streamExists: (nothing) => detail.setExpectedStreamExists(nothing),
  });
  return detail;
}

function answer({ correlationId, streamIdentifier }: BatchIdentity): BatchAppendResp {
  return new BatchAppendResp()
    .setCorrelationId(correlationId)
    .setStreamIdentifier(streamIdentifier ?? writeStreamName(''));
}
