import type { LogEvent } from './log-event';
import { NO_REVISION, TICKS_PER_MS } from './log-event';
import { isSoftDeletion, type StreamMetadata } from './stream-metadata';

/** What can be read of a stream at this moment, by the rules of its metadata. */
export interface StreamDescription {
  readonly name: string;
  /**
   * `absent`: no events, or softly deleted. `tombstoned`: ended for good. An existing stream may have no readable
   * event.
   */
  readonly state: 'absent' | 'tombstoned' | 'existing';
  /** Its id in the log's tables; null if it never had an event. */
  readonly id: bigint | null;
  /** The revision of its last event, even if deleted; `NO_REVISION` if it never had any. */
  readonly lastRevision: bigint;
  /** Events before it cannot be read any more. */
  readonly firstRevision: bigint;
  /** Events created before it cannot be read any more; in ticks of 100 ns since the Unix epoch. */
  readonly notBeforeTicks: bigint;
}

export interface StreamPage {
  readonly events: readonly LogEvent[];
  /** Where the next page begins; null at the stream's end. */
  readonly next: bigint | null;
}

export type ReadDirection = 'forwards' | 'backwards';

const TICKS_PER_SECOND = TICKS_PER_MS * 1_000n;

/** `stream` is null for one that never had an event. */
export function describe(
  name: string,
  stream: { readonly id: bigint; readonly lastRevision: bigint; readonly isTombstoned: boolean } | null,
  metadata: StreamMetadata,
  nowMs: number,
): StreamDescription {
  const { maxCount, maxAgeSeconds, truncateBefore } = metadata;
  const lastRevision = stream?.lastRevision ?? NO_REVISION;
  const byCount = maxCount === null ? 0n : lastRevision - maxCount + 1n;
  const isAbsent = lastRevision === NO_REVISION || isSoftDeletion(metadata);
  const nowTicks = BigInt(Math.trunc(nowMs)) * TICKS_PER_MS;
  return {
    name,
    state: stream?.isTombstoned === true ? 'tombstoned' : isAbsent ? 'absent' : 'existing',
    id: stream?.id ?? null,
    lastRevision,
    firstRevision: [0n, byCount, truncateBefore ?? 0n].reduce((highest, each) => (each > highest ? each : highest)),
    notBeforeTicks: maxAgeSeconds === null ? 0n : nowTicks - maxAgeSeconds * TICKS_PER_SECOND,
  };
}

/** The stream without any of its rules or deletions. */
export function whole(stream: StreamDescription): StreamDescription {
  return { ...stream, state: 'existing', firstRevision: 0n, notBeforeTicks: 0n };
}

export function isReadable(event: LogEvent, { firstRevision, notBeforeTicks }: StreamDescription): boolean {
  return event.revision >= firstRevision && event.createdTicks >= notBeforeTicks;
}
