import { ReadReq, ReadResp } from '@eventstore/db-client/generated/persistent_pb';
import { invalidArgument } from '../../errors';
import { type ResolvedEvent, writeRecordedEvent } from '../../wire/read-event';
import { readUuid, type UuidFormat } from '../../wire/uuid';
import type { NackAction } from '../state/group-state';

const { ReadEvent } = ReadResp;
const { RecordedEvent } = ReadEvent;
const { Action } = ReadReq.Nack;
const ACTIONS: Readonly<Record<number, NackAction>> = {
  [Action.UNKNOWN]: 'retry',
  [Action.RETRY]: 'retry',
  [Action.PARK]: 'park',
  [Action.SKIP]: 'skip',
  [Action.STOP]: 'stop',
};

export function writeConfirmation(subscriptionId: string): ReadResp {
  const confirmation = new ReadResp.SubscriptionConfirmation().setSubscriptionId(subscriptionId);
  return new ReadResp().setSubscriptionConfirmation(confirmation);
}

export function writeDelivery(resolved: ResolvedEvent, retryCount: number, format: UuidFormat): ReadResp {
  const { event, link, position } = resolved;
  const message = new ReadEvent().setCommitPosition(String(position));
  if (event !== null) message.setEvent(writeRecordedEvent(new RecordedEvent(), event, format));
  if (link !== null) message.setLink(writeRecordedEvent(new RecordedEvent(), link, format));
  return new ReadResp().setEvent(message.setRetryCount(retryCount));
}

/** @throws ProtocolError for an invalid id. */
export function readIds(answer: ReadReq.Ack | ReadReq.Nack): readonly string[] {
  return answer.getIdsList().map((message) => {
    const id = readUuid(message);
    if (id === null) throw invalidArgument('An event id is a UUID');
    return id;
  });
}

/** @throws ProtocolError for an unknown action. */
export function readAction(nack: ReadReq.Nack): NackAction {
  const action = ACTIONS[nack.getAction()];
  if (action === undefined) throw invalidArgument(`There is no action ${nack.getAction()}`);
  return action;
}
