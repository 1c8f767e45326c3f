import { type EventLog, type LogEvent, type StreamDescription, TOMBSTONE_REVISION } from '@app/stores/sqlite';
import type { ResolvedEvent } from '../wire/read-event';

/** The type of an event that refers to another one: its data is `<revision>@<stream>`. */
export const LINK_TYPE = '$>';

/** The data of a link to this event. */
export function linkTo({ streamName, revision }: LogEvent): string {
  return `${revision}@${streamName}`;
}

/** Replaces links with the events they refer to, for one page: what it caches about streams becomes stale. */
export class LinkResolver {
  private readonly streams = new Map<string, StreamDescription>();

  constructor(
    private readonly log: EventLog,
    private readonly isWanted: boolean,
  ) {}

  resolve(event: LogEvent): ResolvedEvent {
    const { position } = event;
    const place = this.isWanted && event.type === LINK_TYPE ? readPlace(event) : null;
    if (place === null) return { event, link: null, position };
    return { event: this.target(place), link: event, position };
  }

  /** Null if the event was deleted, truncated or never existed. */
  private target({ streamName, revision: asked }: Place): LogEvent | null {
    const stream = this.streams.get(streamName) ?? this.log.describeStream(streamName);
    this.streams.set(streamName, stream);
    const revision = asked === END_OF_STREAM ? stream.lastRevision : asked;
    if (revision < 0n || revision > stream.lastRevision) return null;
    const page = this.log.readStreamPage(stream, { direction: 'forwards', from: revision, maxCount: 1 });
    const [found] = page.events;
    return found?.revision === revision ? found : null;
  }
}

interface Place {
  readonly revision: bigint;
  readonly streamName: string;
}

/** EventStoreDB's number for a stream's last event. */
const END_OF_STREAM = -1n;

/** Null if the link names no place; it is then delivered as it is. */
function readPlace({ data }: LogEvent): Place | null {
  const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
  const [, sign, digits, streamName] = /^\s*([+-]?)([0-9]{1,19})\s*@([^]+)$/.exec(text) ?? [];
  if (digits === undefined || streamName === undefined) return null;
  const revision = BigInt(digits) * (sign === '-' ? -1n : 1n);
  return revision > TOMBSTONE_REVISION ? null : { revision, streamName };
}
