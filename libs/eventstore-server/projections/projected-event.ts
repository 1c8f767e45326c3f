import {
  isDeletion,
  type LogEvent,
  METADATA_PREFIX,
  METADATA_TYPE,
  TICKS_PER_MS,
  TOMBSTONE_REVISION,
} from '@app/storage/embedded';
import { LINK_TYPE, type LinkResolver } from '../reads/links';

/** An event as the system projections see it. */
export interface ProjectedEvent {
  /** What stands in its stream. */
  readonly event: LogEvent;
  /** What it stands for: a link's target where that can be read, otherwise itself. */
  readonly original: LogEvent;
  /** The stream that it tells of: of metadata, the one that it belongs to. */
  readonly subject: string;
  /** Whether the stream ends with it, for good or until it is written to again. */
  readonly isDeletion: boolean;
  readonly isLink: boolean;
  readonly correlationId: string | null;
}

/** Null for what the system writes for itself: indexes of it would feed on themselves. */
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

/** As links by correlation tell it: UTC, as many digits as it has. */
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
