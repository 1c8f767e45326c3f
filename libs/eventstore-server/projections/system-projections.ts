import { type LogEvent, TOMBSTONE_REVISION } from '@app/storage/embedded';
import { LINK_TYPE, linkTo } from '../reads/links';

/** What a projection adds to one of its streams because of an event. */
export interface Emission {
  readonly streamName: string;
  readonly type: string;
  readonly data: string;
}

/** A function of single events, as EventStoreDB's own projections are. */
export type SystemProjection = (event: LogEvent) => Emission | null;

const STREAM_REFERENCE_TYPE = '$@';
const CATEGORY_SEPARATOR = '-';

/** The projections that EventStoreDB brings along, under its names. All are stopped until somebody enables them. */
export const SYSTEM_PROJECTIONS: Readonly<Record<string, SystemProjection>> = {
  /** `$ce-<category>`: the events of all streams whose names begin with `<category>-`. */
  $by_category: (event) => {
    const category = categoryOf(event.streamName);
    if (category === null || isTombstone(event)) return null;
    return link(`$ce-${category}`, event);
  },
  /** `$et-<type>`: the events of a type. */
  $by_event_type: (event) => {
    if (event.type === LINK_TYPE) return null;
    return link(isTombstone(event) ? '$et-$deleted' : `$et-${event.type}`, event);
  },
  /** `$streams`: each stream's first event. */
  $streams: (event) => (event.revision === 0n ? link('$streams', event) : null),
  /** `$category-<category>`: the names of the streams of a category. */
  $stream_by_category: (event) => {
    const category = categoryOf(event.streamName);
    if (category === null || event.revision !== 0n) return null;
    return { streamName: `$category-${category}`, type: STREAM_REFERENCE_TYPE, data: event.streamName };
  },
  /** `$bc-<id>`: the events whose metadata names a correlation. */
  $by_correlation_id: (event) => {
    const correlationId = event.type === LINK_TYPE ? null : correlationOf(event);
    return correlationId === null ? null : link(`$bc-${correlationId}`, event);
  },
};

function link(streamName: string, event: LogEvent): Emission {
  return { streamName, type: LINK_TYPE, data: linkTo(event) };
}

function isTombstone({ revision }: LogEvent): boolean {
  return revision === TOMBSTONE_REVISION;
}

/** The part before the first dash; null for system streams and for names without one. */
function categoryOf(streamName: string): string | null {
  const end = streamName.indexOf(CATEGORY_SEPARATOR);
  return end < 1 || streamName.startsWith('$') ? null : streamName.slice(0, end);
}

function correlationOf({ metadata }: LogEvent): string | null {
  const text = Buffer.from(metadata.buffer, metadata.byteOffset, metadata.byteLength).toString('utf8');
  if (!text.includes('"$correlationId"')) return null;
  try {
    const { $correlationId } = JSON.parse(text) as { $correlationId?: unknown };
    return typeof $correlationId === 'string' && $correlationId !== '' ? $correlationId : null;
  } catch {
    return null;
  }
}
