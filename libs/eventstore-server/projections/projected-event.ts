import {
  isDeletion,
  type LogEvent,
  METADATA_PREFIX,
  METADATA_TYPE,
  TICKS_PER_MS,
  TOMBSTONE_REVISION,
} from '@app/stores/sqlite';
import { LINK_TYPE, type LinkResolver } from '../reads/links';

/** An event as the system projections see it. */
export interface ProjectedEvent {
  /** The event in its stream. */
  readonly event: LogEvent;
  /** A link's target if it can be read, otherwise the event itself. */
  readonly original: LogEvent;
  /** The stream that the event is about: for metadata, the stream described. */
  readonly subject: string;
  /** Whether the event deletes the stream, by soft delete or tombstone. */
  readonly isDeletion: boolean;
  readonly isLink: boolean;
  readonly correlationId: string | null;
}

/** Null for events that the system itself writes: indexing them would produce further events to index. */
export function projected(event: LogEvent, links: LinkResolver): ProjectedEvent | null {
  const isMetadata = event.streamName.startsWith(METADATA_PREFIX);
  const subject = isMetadata ? event.streamName.slice(METADATA_PREFIX.length) : event.streamName;
  if (subject.startsWith('$')) return null;
  const isLink = event.type === LINK_TYPE;
  const original = (isLink ? links.resolve(event).event : null) ?? event;
  return {
    event,
    original,
    subject,
    isDeletion: isMetadata
      ? event.type === METADATA_TYPE && isDeletion(event.data)
      : event.revision === TOMBSTONE_REVISION,
    isLink,
    correlationId: correlationOf(original),
  };
}

/** The time in links by correlation: UTC, with all digits. */
export function timestamp({ createdTicks }: LogEvent): string {
  const milliseconds = new Date(Number(createdTicks / TICKS_PER_MS)).toISOString().slice(0, -1);
  const digits = `${milliseconds}${String(createdTicks % TICKS_PER_MS).padStart(4, '0')}`;
  return `${digits.replace(/\.?0+$/, '')}Z`;
}

function correlationOf({ metadata }: LogEvent): string | null {
  const text = utf8(metadata);
  if (!text.includes('"$correlationId"')) return null;
  try {
    const { $correlationId } = JSON.parse(text) as { $correlationId?: unknown };
    if (typeof $correlationId !== 'string' && typeof $correlationId !== 'number') return null;
    return $correlationId === '' ? null : String($correlationId);
  } catch {
    return null;
  }
}

export function utf8({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}
