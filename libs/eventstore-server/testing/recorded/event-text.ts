import type { ReadResp } from '@eventstore/db-client/generated/streams_pb';
import { bytesText, messageText, shortened } from './plain';

type Recorded = ReadResp.ReadEvent.RecordedEvent;

/** How much of an event is noted: its place and type; also its data and metadata; or everything. */
export type Detail = 'brief' | 'data' | 'full';

/** Metadata values that are the same in every run. */
const FIXED_VALUES = ['$o', '$correlationId', 'reason', 'subscriptionEventNumber'];

/** An event as `STREAM@2:T`, a resolved link as `LINK(STREAM@0:$>)->other@2:T`. */
export function readText(message: ReadResp, detail: Detail): string {
  const event = message.getEvent();
  return event === undefined ? messageText(message) : resolvedText(event, detail);
}

export function resolvedText(
  resolved: { getEvent(): Recorded | undefined; getLink(): Recorded | undefined },
  detail: Detail,
): string {
  const [target, link] = [resolved.getEvent(), resolved.getLink()].map((each) => each && eventText(each, detail));
  return link === undefined ? (target ?? 'nothing') : `LINK(${link})->${target ?? 'nothing'}`;
}

function eventText(event: Recorded, detail: Detail): string {
  const name = bytesText(event.getStreamIdentifier()!.getStreamName_asU8());
  const metadata = event.getMetadataMap();
  const brief = `${name}@${event.getStreamRevision()}:${shortened(metadata.get('type') ?? '')}`;
  if (detail === 'brief') return brief;
  const kind = metadata.get('content-type') === 'application/json' ? 'json' : 'bytes';
  const [data, custom = ''] = [event.getData_asU8(), event.getCustomMetadata_asU8()].map(bytesText);
  if (detail === 'data') return `${brief} ${kind} ${data} | ${keysText(event.getCustomMetadata_asU8())}`;
  return `${brief} ${event.getId()!.getString()} P${event.getCommitPosition()} ${kind} ${data} | ${custom}`;
}

function keysText(metadata: Uint8Array): string {
  if (metadata.byteLength === 0) return '';
  const fields = JSON.parse(Buffer.from(metadata).toString()) as Record<string, unknown>;
  return Object.entries(fields)
    .map(([key, value]) => (FIXED_VALUES.includes(key) ? `${key}=${String(value)}` : key))
    .join(' ');
}
