import type { LogEvent } from '@app/stores/sqlite';
import type { StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb';
import { ReadResp } from '@eventstore/db-client/generated/streams_pb';
import { writeStreamName } from './stream-name';
import { type UuidFormat, writeUuid } from './uuid';

/** An event as delivered: a link with its target, or the event of the stream alone. */
export interface ResolvedEvent {
  /** Null for a link whose target cannot be read. */
  readonly event: LogEvent | null;
  readonly link: LogEvent | null;
  /** The position of the event in the stream that is read: the link's, if there is one. */
  readonly position: bigint;
}

const { ReadEvent } = ReadResp;
const { RecordedEvent } = ReadEvent;

export function writeReadEvent({ event, link, position }: ResolvedEvent, format: UuidFormat): ReadResp {
  const message = new ReadEvent().setCommitPosition(String(position));
  if (event !== null) message.setEvent(writeRecordedEvent(new RecordedEvent(), event, format));
  if (link !== null) message.setLink(writeRecordedEvent(new RecordedEvent(), link, format));
  return new ReadResp().setEvent(message);
}

/** The fields shared by the messages of an event. */
interface RecordedEventMessage {
  setId(id: UUID): unknown;
  setStreamIdentifier(name: StreamIdentifier): unknown;
  setStreamRevision(revision: string): unknown;
  setCommitPosition(position: string): unknown;
  setPreparePosition(position: string): unknown;
  setCustomMetadata(metadata: Uint8Array): unknown;
  setData(data: Uint8Array): unknown;
  getMetadataMap(): { set(name: string, value: string): unknown };
}

/** Returns the message with its fields set. */
export function writeRecordedEvent<Message extends RecordedEventMessage>(
  message: Message,
  event: LogEvent,
  format: UuidFormat,
): Message {
  const position = String(event.position);
  message.setId(writeUuid(event.id, format));
  message.setStreamIdentifier(writeStreamName(event.streamName));
  message.setStreamRevision(String(event.revision));
  message.setCommitPosition(position);
  message.setPreparePosition(position);
  message.setCustomMetadata(event.metadata);
  message.setData(event.data);
  for (const [name, value] of Object.entries(systemMetadata(event))) message.getMetadataMap().set(name, value);
  return message;
}

/** The protocol's metadata of an event besides its bytes. */
export function systemMetadata({ type, isJson, createdTicks }: LogEvent): Readonly<Record<string, string>> {
  return {
    type,
    'content-type': isJson ? 'application/json' : 'application/octet-stream',
    created: String(createdTicks),
  };
}
