import { eventHash, type EventMetadata, type RecordedEvent } from '@app/event-sourcing';
import { sha256Netstrings } from '@app/platform/lifecycle/system-environment';

type Events = readonly RecordedEvent[];

/** Positions from 1 without gaps, as the embedded log gives them. */
export function renumbered(events: Events): RecordedEvent[] {
  return events.map((event, index) => ({ ...event, position: BigInt(index + 1) }));
}

/** What somebody does who knows how hashes are made: every event of the stream gets the hash of its content. */
export function rehashed(events: Events, streamId: string): RecordedEvent[] {
  let previousHash = '';
  return events.map((event) => {
    if (event.streamId !== streamId) return event;
    const metadata = { ...(JSON.parse(event.metadata) as EventMetadata), previousHash };
    const hash = eventHash(sha256Netstrings, { ...event, metadata });
    previousHash = hash;
    return { ...event, metadata: JSON.stringify({ ...metadata, hash }) };
  });
}

export function changedAt(events: Events, index: number, change: (event: RecordedEvent) => RecordedEvent) {
  return events.map((event, at) => (at === index ? change(event) : event));
}

export function indexOf(events: Events, streamId: string, revision: number): number {
  return events.findIndex((event) => event.streamId === streamId && event.revision === revision);
}
