import type { LogEvent } from '@app/stores/sqlite';
import type { ResolvedEvent } from '../../wire/read-event';
import type { Place } from '../group-identity';

/** An event on its way through a group. */
export interface GroupMessage {
  /** Id in the source itself, of a link rather than its target: consumers answer with it. */
  readonly id: string;
  /** Place in the source, or in the parked stream during a replay. */
  readonly place: Place;
  readonly resolved: ResolvedEvent;
  readonly isReplayed: boolean;
  /** Its approximate size in memory. */
  readonly bytes: number;
}

const OVERHEAD_BYTES = 512;

export function groupMessage(resolved: ResolvedEvent, place: Place, isReplayed = false): GroupMessage {
  const { event, link } = resolved;
  const original = originalOf(resolved);
  const bytes = sizeOf(event) + sizeOf(link) + OVERHEAD_BYTES;
  return { id: original.id, place, resolved, isReplayed, bytes };
}

/** The event in the stream that is read. */
export function originalOf({ event, link }: ResolvedEvent): LogEvent {
  const original = link ?? event;
  if (original === null) throw new Error('An event that was read is either a link or itself');
  return original;
}

function sizeOf(event: LogEvent | null): number {
  return event === null ? 0 : event.data.byteLength + event.metadata.byteLength;
}
