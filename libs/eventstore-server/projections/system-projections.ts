import { LINK_TYPE, linkTo } from '../reads/links';
import { type ProjectedEvent, timestamp, utf8 } from './projected-event';

/** What a projection writes to one of its streams for one event. */
export interface Emission {
  readonly streamName: string;
  readonly type: string;
  readonly data: string;
  /** Further metadata of the link. */
  readonly metadata?: Readonly<Record<string, string | number>>;
}

/** A pure function of single events, like EventStoreDB's built-in projections. */
export type SystemProjection = (event: ProjectedEvent) => Emission | null;

const STREAM_REFERENCE_TYPE = '$@';
const CATEGORY_SEPARATOR = '-';
/** Marks a link to an event that deleted a stream. */
const DELETED = { $deleted: -1 };

/** EventStoreDB's built-in projections, under its names. All are stopped until enabled. */
export const SYSTEM_PROJECTIONS: Readonly<Record<string, SystemProjection>> = {
  /** `$ce-<category>`: the events of all streams whose names begin with `<category>-`, links resolved. */
  $by_category: ({ event, subject, isDeletion, isLink }) => {
    const category = categoryOf(isDeletion ? subject : event.streamName);
    if (category === null) return null;
    return {
      streamName: `$ce-${category}`,
      type: LINK_TYPE,
      data: isLink ? utf8(event.data) : linkTo(event),
      metadata: { $o: subject, ...(isDeletion ? DELETED : {}) },
    };
  },
  /** `$et-<type>`: the events of a type. Metadata and deletions are attributed to the stream that they are about. */
  $by_event_type: ({ event, subject, isDeletion, isLink }) => {
    if (isLink) return null;
    const streamName = isDeletion ? '$et-$deleted' : `$et-${event.type}`;
    const data = linkTo({ ...event, streamName: subject });
    return { streamName, type: LINK_TYPE, data, metadata: isDeletion ? DELETED : {} };
  },
  /** `$streams`: each stream's first event. */
  $streams: ({ event }) =>
    event.revision === 0n ? { streamName: '$streams', type: LINK_TYPE, data: linkTo(event) } : null,
  /** `$category-<category>`: the names of a category's streams. */
  $stream_by_category: ({ event }) => {
    const category = categoryOf(event.streamName);
    if (category === null || event.revision !== 0n) return null;
    return { streamName: `$category-${category}`, type: STREAM_REFERENCE_TYPE, data: event.streamName };
  },
  /** `$bc-<id>`: the events whose metadata contain a correlation id. */
  $by_correlation_id: ({ event, isLink, correlationId }) => {
    if (isLink || correlationId === null) return null;
    const metadata = { $eventTimestamp: timestamp(event) };
    return { streamName: `$bc-${correlationId}`, type: LINK_TYPE, data: linkTo(event), metadata };
  },
};

/** The part before the first dash; null for system streams and names without one. */
function categoryOf(streamName: string): string | null {
  const end = streamName.indexOf(CATEGORY_SEPARATOR);
  return end < 1 || streamName.startsWith('$') ? null : streamName.slice(0, end);
}
