import { type Random, StreamDeletedError } from '@app/event-sourcing';
import {
  type EventLog,
  type LogEventToAppend,
  METADATA_PREFIX,
  METADATA_TYPE,
  NO_REVISION,
  type StreamDescription,
  whole,
} from '@app/stores/sqlite';
import { MAX_REVISION } from '../errors';
import { type ProjectedEvent, utf8 } from './projected-event';
import type { Emission } from './system-projections';

/** An event of a projection, with the position of its source event. */
export interface EmittedEvent {
  readonly event: LogEventToAppend;
  readonly source: bigint;
}

const MAX_REMEMBERED = 16_384;
const PAGE_EVENTS = 64;
const READABLE_BY_ALL = '{"$acl":{"$r":"$all","$mr":"$all"}}';

/**
 * Writes each of a projection's events exactly once, although the projection restarts at its last checkpoint after a
 * crash: the last event of every stream shows how far that stream had come.
 */
export class EmittedStreams {
  /** The source position of each stream's last event, ordered by last use. */
  private readonly sources = new Map<string, bigint>();

  constructor(
    private readonly log: EventLog,
    private readonly random: Random,
  ) {}

  /** @param events in the order of their sources */
  async write(streamName: string, events: readonly EmittedEvent[]): Promise<void> {
    const last = this.sources.get(streamName) ?? this.readSource(streamName);
    const missing = events.filter(({ source }) => source > last);
    const newest = missing.at(-1)?.source ?? last;
    try {
      const written = missing.map(({ event }) => event);
      if (written.length > 0)
        await Promise.all([this.describe(streamName), this.log.append(streamName, 'any', written)]);
      this.remember(streamName, newest);
    } catch (error) {
      // A tombstoned stream accepts no more events; the others continue.
      if (!(error instanceof StreamDeletedError)) throw error;
      this.remember(streamName, MAX_REVISION);
    }
  }

  private remember(streamName: string, source: bigint): void {
    this.sources.delete(streamName);
    this.sources.set(streamName, source);
    if (this.sources.size > MAX_REMEMBERED) this.sources.delete(this.sources.keys().next().value ?? streamName);
  }

  /** Written before a stream's first event, as in EventStoreDB: all users may read the stream. */
  private async describe(streamName: string): Promise<void> {
    const metadataStream = METADATA_PREFIX + streamName;
    const isNew = (name: string): boolean => this.log.describeStream(name).lastRevision === NO_REVISION;
    if (!isNew(streamName) || !isNew(metadataStream)) return;
    const event = { id: this.random.uuid(), type: METADATA_TYPE, isJson: true, data: Buffer.from(READABLE_BY_ALL) };
    await this.log.append(metadataStream, 'no-stream', [{ ...event, metadata: new Uint8Array(0) }]);
  }

  /** The source of the projection's own last event: other clients may have written to the stream. */
  private readSource(streamName: string): bigint {
    const stream = this.log.describeStream(streamName);
    if (stream.state === 'tombstoned') return MAX_REVISION;
    for (let from: bigint | null = stream.lastRevision; from !== null && from >= 0n;) {
      const page = this.log.readStreamPage(whole(stream), { direction: 'backwards', from, maxCount: PAGE_EVENTS });
      const own = page.events.map(({ metadata }) => sourceOf(metadata)).find((source) => source > 0n);
      if (own !== undefined) return own;
      from = page.next;
    }
    return 0n;
  }
}

/** The parts of an emitted event's metadata that `EmittedStreams` and readers of links use. */
export function emittedMetadata(
  { event, original, correlationId }: ProjectedEvent,
  more: Emission['metadata'],
): Uint8Array {
  const position = Number(event.position);
  // If the data is not JSON, the metadata is not searched for a correlation id.
  const correlation = correlationId === null || !original.isJson ? {} : { $correlationId: correlationId };
  const cause = { $causedBy: original.id, ...correlation };
  return Buffer.from(JSON.stringify({ $v: '1:-1:1:4', $c: position, $p: position, ...more, ...cause }));
}

function sourceOf(metadata: Uint8Array): bigint {
  try {
    const { $c } = JSON.parse(utf8(metadata)) as { $c?: unknown };
    return typeof $c === 'number' && Number.isSafeInteger($c) ? BigInt($c) : 0n;
  } catch {
    return 0n;
  }
}

/** The last event of a stream in which only the last event counts. */
export function readLast(log: EventLog, stream: StreamDescription): string | null {
  const last = stream.state === 'existing' ? log.readEvent(stream, stream.lastRevision) : null;
  if (last === null) return null;
  return utf8(last.data);
}
