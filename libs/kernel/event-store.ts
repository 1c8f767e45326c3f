import { StreamDeletedError } from './damaged-history';
import type { EventToAppend, RecordedEvent } from './event';

/**
 * What readers of the whole log are told where somebody with rights on the store deleted the stream, or hid events of it: an
 * event of that stream, of this type, at revision 0. A read of the stream itself brings none.
 */
export const DELETION = '$deleted';

/** The revision that a stream must be at for an append: an exact last revision, or that the stream has no events. */
export type ExpectedRevision = number | 'no-stream';

export interface AppendResult {
  /** Revision of the last event of this append. */
  readonly revision: number;
  /** Position of the last event of this append. */
  readonly position: bigint;
}

export interface ReadStreamOptions {
  readonly direction?: 'forwards' | 'backwards';
  /** First revision to read, inclusive; by default the stream's start, or its end when reading backwards. */
  readonly from?: number;
  readonly maxCount?: number;
}

/** Which events of the whole log are wanted. An event must match one of the prefixes and, when given, one of the types. */
export interface EventFilter {
  readonly streamPrefixes: readonly string[];
  readonly types?: readonly string[];
}

export interface ReadAllOptions {
  /** Events after this position only; null reads from the log's start. */
  readonly after: bigint | null;
  readonly filter: EventFilter;
  readonly maxCount: number;
}

/** A run of consecutive matching events. */
export interface EventBatch {
  readonly events: readonly RecordedEvent[];
  /**
   * Every matching event up to and including this position has been delivered. It may lie beyond the last event of the
   * batch, as other streams' events are passed over. Null only when the log is empty.
   */
  readonly position: bigint | null;
  /** True when nothing more had been stored at the moment of reading: the subscriber is live. */
  readonly caughtUp: boolean;
}

/**
 * The only truth. Appends are atomic and durable before they are answered; a stream's revisions have no gaps; the
 * whole log has one order that never changes. Every adapter runs the same contract suite.
 */
export abstract class EventStore {
  /**
   * Appends all events or none. A re-send of the very same events (ids and expected revision) after a lost answer is
   * answered like the first time and counts once.
   *
   * @throws WrongExpectedRevisionError, StreamDeletedError: nothing was written.
   * @throws EventStoreUnavailableError: the outcome is unknown.
   */
  abstract append(
    streamId: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
  ): Promise<AppendResult>;

  /** The stream's events; an empty array when it has none. @throws StreamDeletedError, EventStoreUnavailableError */
  abstract readStream(streamId: string, options?: ReadStreamOptions): Promise<readonly RecordedEvent[]>;

  /**
   * Whether events of the stream were deleted, or hidden, by somebody with rights on the store. Nobody has any on a store that is
   * this service's alone. @throws EventStoreUnavailableError
   */
  wasDeletedFrom(_streamId: string): Promise<boolean> {
    return Promise.resolve(false);
  }

  /** One page of the whole log, in its order. @throws EventStoreUnavailableError */
  abstract readAll(options: ReadAllOptions): Promise<EventBatch>;

  /**
   * Catches up from `after`, then follows live, until `signal` is aborted; never skips or reorders. The consumer pulls:
   * while it is busy nothing piles up. Always yields a batch with `caughtUp: true` once it is live, even an empty one.
   *
   * @throws EventStoreUnavailableError when the connection is lost; the consumer subscribes again from where it was.
   */
  abstract subscribe(options: {
    readonly after: bigint | null;
    readonly filter: EventFilter;
    /** At most this many events in one batch. */
    readonly maxBatch: number;
    readonly signal: AbortSignal;
  }): AsyncIterable<EventBatch>;

  /** Position of the last event in the log, or null when it is empty. @throws EventStoreUnavailableError */
  abstract head(): Promise<bigint | null>;

  /** Finishes what was accepted, then closes. */
  abstract close(): Promise<void>;
}

/** For a stream that should be there and was found empty. @throws StreamDeletedError where what it held was deleted */
export async function assertNotDeleted(store: Pick<EventStore, 'wasDeletedFrom'>, streamId: string): Promise<void> {
  if (await store.wasDeletedFrom(streamId)) throw new StreamDeletedError(streamId);
}
