import { StreamDeletedError } from './damaged-history';
import type { EventToAppend, RecordedEvent } from './event';

/**
 * Readers of the whole log get an event of this type, at revision 0, for a stream that somebody with rights on the
 * store deleted or hid events of. Reads of the stream itself do not return it.
 */
export const DELETION = '$deleted';

/** The expected revision of an append: an exact last revision, or no events. */
export type ExpectedRevision = number | 'no-stream';

export interface AppendResult {
  /** Revision of the last event of this append. */
  readonly revision: number;
  /** Position of the last event of this append. */
  readonly position: bigint;
}

export interface ReadStreamOptions {
  readonly direction?: 'forwards' | 'backwards';
  /** First revision to read, inclusive. Default: the stream's start, or its end when reading backwards. */
  readonly from?: number;
  readonly maxCount?: number;
}

/**
 * Selects events of the whole log: one of the stream prefixes must match and, if `types` is given, one of the types.
 */
export interface EventFilter {
  readonly streamPrefixes: readonly string[];
  readonly types?: readonly string[];
}

export interface ReadAllOptions {
  /** Only events after this position; null reads from the start of the log. */
  readonly after: bigint | null;
  readonly filter: EventFilter;
  readonly maxCount: number;
}

/** A run of consecutive matching events. */
export interface EventBatch {
  readonly events: readonly RecordedEvent[];
  /**
   * Every matching event up to and including this position has been delivered. May lie beyond the batch's last event,
   * since other events are skipped. Null only when the log is empty.
   */
  readonly position: bigint | null;
  /** True if nothing more was stored at the moment of reading: the subscriber is live. */
  readonly caughtUp: boolean;
}

/**
 * The event log. Appends are atomic, and durable before they are acknowledged; revisions have no gaps; the order of the
 * log never changes. Every adapter runs the same contract suite.
 */
export abstract class EventStore {
  /**
   * Appends all events or none. If an answer is lost and the same events (ids and expected revision) are sent again,
   * they are not written again, and the first answer is returned.
   *
   * @throws WrongExpectedRevisionError, StreamDeletedError: nothing was written.
   * @throws EventStoreUnavailableError: the outcome is unknown.
   */
  abstract append(
    streamId: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
  ): Promise<AppendResult>;

  /**
   * @returns the stream's events; empty if it has none.
   * @throws StreamDeletedError, EventStoreUnavailableError
   */
  abstract readStream(streamId: string, options?: ReadStreamOptions): Promise<readonly RecordedEvent[]>;

  /**
   * @returns whether somebody with rights on the store deleted or hid events of the stream; always false on a store
   * that only this service can write to.
   * @throws EventStoreUnavailableError
   */
  wasDeletedFrom(_streamId: string): Promise<boolean> {
    return Promise.resolve(false);
  }

  /**
   * @returns one page of the whole log, in its order.
   * @throws EventStoreUnavailableError
   */
  abstract readAll(options: ReadAllOptions): Promise<EventBatch>;

  /**
   * Catches up from `after`, then delivers live events until `signal` is aborted. Never skips or reorders. The consumer
   * pulls, so nothing piles up while it is busy. Yields a batch with `caughtUp: true`, even an empty one, once live.
   *
   * @throws EventStoreUnavailableError when the connection is lost; the consumer subscribes again from its position.
   */
  abstract subscribe(options: {
    readonly after: bigint | null;
    readonly filter: EventFilter;
    /** At most this many events in one batch. */
    readonly maxBatch: number;
    readonly signal: AbortSignal;
  }): AsyncIterable<EventBatch>;

  /**
   * @returns the position of the last event in the log, or null when it is empty.
   * @throws EventStoreUnavailableError
   */
  abstract head(): Promise<bigint | null>;

  /** Completes the appends that were accepted, then closes. */
  abstract close(): Promise<void>;
}

/**
 * For a stream that should exist but was found empty.
 *
 * @throws StreamDeletedError if its events were deleted.
 * @throws EventStoreUnavailableError
 */
export async function assertNotDeleted(store: Pick<EventStore, 'wasDeletedFrom'>, streamId: string): Promise<void> {
  if (await store.wasDeletedFrom(streamId)) throw new StreamDeletedError(streamId);
}
