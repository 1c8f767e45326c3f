import type { LogEvent } from '@app/storage/embedded';
import { ReadResp } from '@eventstore/db-client/generated/streams_pb';
import { writeStreamName } from './stream-name';
import { type UuidFormat, writeUuid } from './uuid';

/** An event as it is handed out: a link's target beside the link, or alone what stands in the stream itself. */
export interface ResolvedEvent {
  /** Null for a link whose target can't be read. */
  readonly event: LogEvent | null;
  readonly link: LogEvent | null;
  /** Of what stands in the stream that is read: the link, where there is one. */
  readonly position: bigint;
}

const { ReadEvent } = ReadResp;
const { RecordedEvent } = ReadEvent;

export function writeReadEvent({ event, link, position }: ResolvedEvent, format: UuidFormat): ReadResp {
  const message = new ReadEvent().setCommitPosition(String(position));
  if (event !== null) message.setEvent(writeRecordedEvent(event, format));
  if (link !== null) message.setLink(writeRecordedEvent(link, format));
  return new ReadResp().setEvent(message);
}

function writeRecordedEvent(event: LogEvent, format: UuidFormat): ReadResp.ReadEvent.RecordedEvent {
  const position = String(event.position);
  const message = new RecordedEvent()
    .setId(writeUuid(event.id, format))
    .setStreamIdentifier(writeStreamName(event.streamName))
    .setStreamRevision(String(event.revision))
    .setCommitPosition(position)
    .setPreparePosition(position)
    .setCustomMetadata(event.metadata)
    .setData(event.data);
  for (const [name, value] of Object.entries(systemMetadata(event))) message.getMetadataMap().set(name, value);
  return message;
}

/** What the protocol says of an event beside its bytes. */
export function systemMetadata({ type, isJson, createdTicks }: LogEvent): Readonly<Record<string, string>> {
  return {
    type,
    'content-type': isJson ? 'application/json' : 'application/octet-stream',
    created: String(createdTicks),
  };
}
