import {
  AssertionFailedError,
  type EventToAppend,
  type ExpectedRevision,
  StreamDeletedError,
  WrongExpectedRevisionError,
} from '@app/event-sourcing';
import { StreamIdentifier, UUID, WrongExpectedVersion } from '@eventstore/db-client/generated/shared_pb';
import type { Status } from '@eventstore/db-client/generated/status_pb';
import { BatchAppendReq, type BatchAppendResp } from '@eventstore/db-client/generated/streams_pb';
import { Empty } from 'google-protobuf/google/protobuf/empty_pb';
import { EventStoreDbFailure } from './failures';

/** An append, and the id that correlates its answer. */
export interface Append {
  /** The stream's name in the port, for errors. */
  readonly streamId: string;
  /** The stream's name in the store. */
  readonly streamName: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly EventToAppend[];
}

/** The answer to an append. A server may omit the position when it recognises a repeated append. */
export interface AppendAnswer {
  readonly revision: number;
  readonly position: bigint | null;
}

/**
 * The whole append in one message: the store accepts 1 MiB per append by default, and a message may have 16 MiB.
 * Without a deadline: in the protocol it is a time of day, and a server with another clock would refuse every append.
 * The server's own limit and the caller's apply.
 */
export function appendRequest({ streamName, expected, events }: Append, correlationId: string): BatchAppendReq {
  const options = new BatchAppendReq.Options().setStreamIdentifier(streamIdentifier(streamName));
  if (expected === 'no-stream') options.setNoStream(new Empty());
  else options.setStreamPosition(String(expected));
  return new BatchAppendReq()
    .setCorrelationId(uuid(correlationId))
    .setOptions(options)
    .setProposedMessagesList(events.map(proposed))
    .setIsFinal(true);
}

/** The size of the append's data and metadata. */
export function sizeInBytes({ events }: Append): number {
  return events.reduce((sum, { data, metadata }) => sum + Buffer.byteLength(data) + Buffer.byteLength(metadata), 0);
}

/** @throws WrongExpectedRevisionError, StreamDeletedError, EventStoreDbFailure */
export function appendAnswer(response: BatchAppendResp, append: Append): AppendAnswer {
  const success = response.getSuccess();
  if (success === undefined) throw errorOf(response.getError(), append);
  const position = success.getPosition()?.getCommitPosition();
  return {
    revision: Number(success.getCurrentRevision()),
    position: position === undefined || position === NO_POSITION ? null : BigInt(position),
  };
}

/** -1, as the server writes it into an unsigned field. */
const NO_POSITION = String(2n ** 64n - 1n);

function errorOf(error: Status | undefined, { streamId, expected }: Append): Error {
  const details = error?.getDetails();
  const said = error?.getMessage() ?? '';
  switch (details?.getTypeName()) {
    case 'event_store.client.WrongExpectedVersion': {
      const versions = WrongExpectedVersion.deserializeBinary(details.getValue_asU8());
      const actual = versions.hasCurrentStreamRevision() ? Number(versions.getCurrentStreamRevision()) : null;
      return new WrongExpectedRevisionError(streamId, String(expected), actual);
    }
    case 'event_store.client.StreamDeleted':
      return new StreamDeletedError(streamId);
    case 'event_store.client.Timeout':
      return new EventStoreDbFailure('deadline', 'The server did not write the append in time');
    case 'event_store.client.AccessDenied':
      return new EventStoreDbFailure('may not write', `Writing ${streamId} is not allowed`);
    case 'event_store.client.MaximumAppendSizeExceeded':
      return new AssertionFailedError(`An append to ${streamId} is larger than the store accepts: ${said}`);
    case 'google.protobuf.Empty':
      // The server is not ready, too busy, or has no leader yet.
      return new EventStoreDbFailure('busy', said || 'The server could not accept the append');
    default:
      return new EventStoreDbFailure('refused', said || 'The server gave no reason');
  }
}

function proposed({ id, type, data, metadata }: EventToAppend): BatchAppendReq.ProposedMessage {
  const message = new BatchAppendReq.ProposedMessage()
    .setId(uuid(id))
    .setData(Buffer.from(data))
    .setCustomMetadata(Buffer.from(metadata));
  message.getMetadataMap().set('type', type).set('content-type', 'application/json');
  return message;
}

function uuid(text: string): UUID {
  return new UUID().setString(text);
}

export function streamIdentifier(streamName: string): StreamIdentifier {
  return new StreamIdentifier().setStreamName(Buffer.from(streamName));
}
