import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Judgement, judgeAppend, type StoredPlace } from './append-rules';
import {
  type LogAppendResult,
  type LogEventToAppend,
  type LogExpectation,
  NO_REVISION,
  TOMBSTONE_REVISION,
  uuidFromBytes,
  uuidToBytes,
} from './log-event';
import { RecentEventIds } from './recent-event-ids';
import { type StreamHead, StreamTable } from './stream-table';

/** One append as it was asked for. */
export interface AppendRequest {
  readonly streamName: string;
  readonly expected: LogExpectation;
  readonly events: readonly LogEventToAppend[];
  /** Ends the stream for good with its one event. */
  readonly isTombstone: boolean;
}

export type AppendOutcome = { readonly result: LogAppendResult } | { readonly error: Error };

/** `$$x` holds the metadata of stream `x`, and is deleted with it. */
const METADATA_PREFIX = '$$';

/** Writes batches of appends, each batch in one durable transaction. The log's file has no other writer. */
export class LogWriter {
  private readonly streams: StreamTable;
  private readonly insert: StatementSync;
  private readonly findPlaces: StatementSync;
  private readonly findLast: StatementSync;
  /** Read when an append first needs it: the service itself always names the revision. */
  private recentIds: RecentEventIds | null = null;
  private last: bigint;

  constructor(private readonly database: DatabaseSync) {
    this.streams = new StreamTable(database);
    this.insert = database.prepare(
      `INSERT INTO events (position, stream_id, revision, category_id, created, content_type, type, id, metadata, data)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.findPlaces = database.prepare(
      'SELECT id, revision, position FROM events WHERE stream_id = ? AND revision >= ? ORDER BY revision LIMIT ?',
    );
    this.findLast = database.prepare('SELECT max(position) FROM events');
    this.last = this.readLastPosition();
  }

  /** Position of the log's last event, 0 when it is empty. */
  get lastPosition(): bigint {
    return this.last;
  }

  /**
   * Judges and writes the appends in their order, each seeing those before it. A refused one leaves the others alone;
   * the outcomes hold only once this has returned. When it throws, none was written as far as can be told, and
   * `recover` must be called before the next batch.
   */
  write(requests: readonly AppendRequest[], createdTicks: bigint): AppendOutcome[] {
    this.database.exec('BEGIN IMMEDIATE');
    const outcomes = requests.map((request) => this.apply(request, createdTicks));
    this.database.exec('COMMIT');
    return outcomes;
  }

  /**
   * Back to what the file holds, after a failure.
   *
   * @throws when the file can't be read, or doesn't end where it may: it must not be written to again.
   */
  recover(lastBefore: bigint): void {
    const lastIntended = this.last;
    if (this.database.isTransaction) this.database.exec('ROLLBACK');
    this.streams.forget();
    this.recentIds = null;
    this.last = this.readLastPosition();
    // A commit may have reached the file though its sync failed: then all of the batch is there.
    if (this.last !== lastBefore && this.last !== lastIntended) {
      throw new Error(`The log ends at position ${this.last} where ${lastBefore} was expected`);
    }
  }

  private apply(request: AppendRequest, createdTicks: bigint): AppendOutcome {
    const { streamName, expected, events, isTombstone } = request;
    const head = this.streams.head(streamName);
    const judgement = this.judge(head, expected, events);
    switch (judgement.kind) {
      case 'refused':
        return { error: judgement.error };
      case 'already-written':
        return { result: judgement.result };
      case 'write':
        for (const event of events) {
          this.append(head, isTombstone ? TOMBSTONE_REVISION : head.lastRevision + 1n, event, createdTicks);
        }
        return { result: { revision: head.lastRevision, position: this.last } };
    }
  }

  private judge(head: StreamHead, expected: LogExpectation, events: readonly LogEventToAppend[]): Judgement {
    const { ids, name } = head;
    const facts = {
      name,
      lastRevision: this.isMetadataOfTombstoned(name) ? TOMBSTONE_REVISION : head.lastRevision,
      hasMetadata: () => this.streams.head(METADATA_PREFIX + name).lastRevision > NO_REVISION,
      eventsFrom: (revision: bigint, count: number) => (ids === null ? [] : this.places(ids.stream, revision, count)),
      recent: (id: string) =>
        ids === null ? undefined : (this.recentIds ??= RecentEventIds.read(this.database)).find(ids.stream, id),
    };
    return judgeAppend(
      facts,
      expected,
      events.map(({ id }) => id),
    );
  }

  private isMetadataOfTombstoned(name: string): boolean {
    if (!name.startsWith(METADATA_PREFIX)) return false;
    return this.streams.head(name.slice(METADATA_PREFIX.length)).lastRevision === TOMBSTONE_REVISION;
  }

  private append(head: StreamHead, revision: bigint, event: LogEventToAppend, createdTicks: bigint): void {
    const { stream, category } = this.streams.idsOf(head);
    const position = this.last + 1n;
    const { id, type, isJson, data, metadata } = event;
    const contentType = isJson ? 1 : 0;
    this.insert.run(
      ...[position, stream, revision, category, createdTicks, contentType],
      ...[type, uuidToBytes(id), metadata, data],
    );
    this.last = position;
    head.lastRevision = revision;
    this.recentIds?.add(stream, { id, revision, position });
  }

  private places(streamId: bigint, revision: bigint, count: number): StoredPlace[] {
    const rows = this.findPlaces.all(streamId, revision, count) as unknown as [Uint8Array, bigint, bigint][];
    return rows.map(([id, found, position]) => ({ id: uuidFromBytes(id), revision: found, position }));
  }

  private readLastPosition(): bigint {
    const [last] = this.findLast.get() as unknown as [bigint | null];
    return last ?? 0n;
  }
}
