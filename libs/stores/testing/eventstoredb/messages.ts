import { randomUUID } from 'node:crypto';
import { AllStreamPosition, StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb';
import { Status } from '@eventstore/db-client/generated/status_pb';
import { type BatchAppendReq, BatchAppendResp, ReadResp } from '@eventstore/db-client/generated/streams_pb';
import { Any } from 'google-protobuf/google/protobuf/any_pb';
import type { Message } from 'google-protobuf';

/** Messages that a spec lets a server send. */
export function success(request: BatchAppendReq, revision: number, position: bigint | null): BatchAppendResp {
  const done = new BatchAppendResp.Success().setCurrentRevision(String(revision));
  if (position !== null) {
    const text = String(position);
    done.setPosition(new AllStreamPosition().setCommitPosition(text).setPreparePosition(text));
  }
  return new BatchAppendResp().setCorrelationId(request.getCorrelationId()).setSuccess(done);
}

/** An error of an append; `details` is the type's name and the message, or null for none. */
export function refusal(
  request: BatchAppendReq,
  details: readonly [string, Message] | null,
  message = '',
): BatchAppendResp {
  const error = new Status().setMessage(message);
  if (details !== null) {
    const any = new Any();
    any.pack(details[1].serializeBinary(), details[0]);
    error.setDetails(any);
  }
  return new BatchAppendResp().setCorrelationId(request.getCorrelationId()).setError(error);
}

export function anEvent(place: {
  readonly position: bigint;
  readonly streamName?: string;
  readonly revision?: number;
  readonly type?: string;
}): ReadResp {
  const { position, streamName = 'a-1', revision = 0, type = 'Happened' } = place;
  const event = new ReadResp.ReadEvent.RecordedEvent()
    .setId(new UUID().setString(randomUUID()))
    .setStreamIdentifier(new StreamIdentifier().setStreamName(Buffer.from(streamName)))
    .setStreamRevision(String(revision))
    .setCommitPosition(String(position))
    .setPreparePosition(String(position))
    .setData(Buffer.from('{}'));
  event.getMetadataMap().set('type', type).set('content-type', 'application/json').set('created', '0');
  return new ReadResp().setEvent(new ReadResp.ReadEvent().setEvent(event).setCommitPosition(String(position)));
}

export function confirmation(): ReadResp {
  return new ReadResp().setConfirmation(new ReadResp.SubscriptionConfirmation().setSubscriptionId(randomUUID()));
}

export function checkpoint(commit: bigint, prepare = commit): ReadResp {
  const told = new ReadResp.Checkpoint().setCommitPosition(String(commit)).setPreparePosition(String(prepare));
  return new ReadResp().setCheckpoint(told);
}

export const caughtUp = (): ReadResp => new ReadResp().setCaughtUp(new ReadResp.CaughtUp());
export const fellBehind = (): ReadResp => new ReadResp().setFellBehind(new ReadResp.FellBehind());
