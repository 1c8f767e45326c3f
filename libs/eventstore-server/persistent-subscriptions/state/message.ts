import type { LogEvent } from '@app/storage/embedded';
import type { ResolvedEvent } from '../../wire/read-event';
import type { Place } from '../group-identity';

/** An event on its way through a group. */
export interface GroupMessage {
  /** Of what stands in the source itself, a link rather than its target: consumers answer with it. */
  readonly id: string;
  /** In the source, or in the parked stream where it is replayed from there. */
  readonly place: Place;
  readonly resolved: ResolvedEvent;
  readonly isReplayed: boolean;
  /** What it takes in memory, about. */
  readonly bytes: number;
}

const OVERHEAD_BYTES = 512;

export function groupMessage(resolved: ResolvedEvent, place: Place, isReplayed = false): GroupMessage {
  const { event, link } = resolved;
  const original = originalOf(resolved);
  const bytes = sizeOf(event) + sizeOf(link) + OVERHEAD_BYTES;
  return { id: original.id, place, resolved, isReplayed, bytes };
}

/** What stands in the stream that is read. */
export function originalOf({ event, link }: ResolvedEvent): LogEvent {
  const original = link ?? event;
  if (original === null) throw new Error('An event that was read is either a link or itself');
  return original;
}

function sizeOf(event: LogEvent | null): number {
  return event === null ? 0 : event.data.byteLength + event.metadata.byteLength;
}
