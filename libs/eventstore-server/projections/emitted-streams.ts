import { StreamDeletedError } from '@app/kernel';
import type { EventLog, LogEventToAppend, StreamDescription } from '@app/storage/embedded';
import { MAX_REVISION } from '../errors';

/** An event of a projection, with the position of what it was made of. */
export interface EmittedEvent {
  readonly event: LogEventToAppend;
  readonly source: bigint;
}

const MAX_REMEMBERED = 16_384;

/**
 * Writes a projection's events exactly once each, though the projection begins again at its last checkpoint after a crash:
 * the last event of every stream tells how far that stream had come.
 */
export class EmittedStreams {
  /** The source of each stream's last event, in the order of last use. */
  private readonly sources = new Map<string, bigint>();

  constructor(private readonly log: EventLog) {}

  /** @param events in the order of their sources */
  async write(streamName: string, events: readonly EmittedEvent[]): Promise<void> {
    const last = this.sources.get(streamName) ?? this.readSource(streamName);
    const missing = events.filter(({ source }) => source > last);
    const newest = missing.at(-1)?.source ?? last;
    try {
      if (missing.length > 0) {
        await this.log.append(
          streamName,
          'any',
          missing.map(({ event }) => event),
        );
      }
      this.remember(streamName, newest);
    } catch (error) {
      // A stream that somebody ended for good takes no more, and the others go on.
      if (!(error instanceof StreamDeletedError)) throw error;
      this.remember(streamName, MAX_REVISION);
    }
  }

  private remember(streamName: string, source: bigint): void {
    this.sources.delete(streamName);
    this.sources.set(streamName, source);
    if (this.sources.size > MAX_REMEMBERED) this.sources.delete(this.sources.keys().next().value ?? streamName);
  }

  private readSource(streamName: string): bigint {
    const stream = this.log.describeStream(streamName);
    if (stream.state === 'tombstoned') return MAX_REVISION;
    const last = this.log.readEvent(stream, stream.lastRevision);
    return last === null ? 0n : sourceOf(last.metadata);
  }
}

/** What `EmittedStreams` and readers of links find in an emitted event's metadata. */
export function emittedMetadata(source: { readonly id: string; readonly position: bigint }): Uint8Array {
  const position = Number(source.position);
  return Buffer.from(JSON.stringify({ $v: '1:-1:1:4', $c: position, $p: position, $causedBy: source.id }));
}

function sourceOf(metadata: Uint8Array): bigint {
  try {
    const text = Buffer.from(metadata.buffer, metadata.byteOffset, metadata.byteLength).toString('utf8');
    const { $c } = JSON.parse(text) as { $c?: unknown };
    return typeof $c === 'number' && Number.isSafeInteger($c) ? BigInt($c) : 0n;
  } catch {
    return 0n;
  }
}

/** The last event of a stream, where only the last one counts. */
export function readLast(log: EventLog, stream: StreamDescription): string | null {
  const last = stream.state === 'existing' ? log.readEvent(stream, stream.lastRevision) : null;
  if (last === null) return null;
  return Buffer.from(last.data.buffer, last.data.byteOffset, last.data.byteLength).toString('utf8');
}
