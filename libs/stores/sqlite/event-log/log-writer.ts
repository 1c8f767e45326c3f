import { randomUUID } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StreamDeletedError } from '@app/event-sourcing';
import { type Judgement, judgeAppend, judgeSoftDelete, type StoredPlace } from './append-rules';
import {
  type LogAppendResult,
  type LogEventToAppend,
  type LogExpectation,
  NO_REVISION,
  TOMBSTONE_REVISION,
  uuidFromBytes,
  uuidToBytes,
} from './log-event';
import type { LogTail } from './log-tail';
import { RecentEventIds } from './recent-event-ids';
import { SCHEMA_VERSION } from './schema';
import {
  isSoftDeletion,
  METADATA_PREFIX,
  METADATA_TYPE,
  readStreamMetadata,
  softDeletion,
  truncatedBefore,
} from './stream-metadata';
import { type StreamHead, StreamTable } from './stream-table';

/** A requested write. */
export interface AppendRequest {
  /** A tombstone has its one event; a soft delete has no events. */
  readonly kind: 'append' | 'tombstone' | 'soft-delete';
  readonly streamName: string;
  readonly expected: LogExpectation;
  readonly events: readonly LogEventToAppend[];
}

/** A softly deleted stream that a write recreates. */
interface DeletedStream {
  readonly name: string;
  /** The revision before which everything remains deleted. */
  readonly first: bigint;
  /** Whether the write was to its metadata. */
  readonly byMetadata: boolean;
}

export type AppendOutcome = { readonly result: LogAppendResult } | { readonly error: Error };

/** Writes batches of appends, each in one durable transaction. The only writer of the log's file. */
export class LogWriter {
  private readonly streams: StreamTable;
  private readonly begin: StatementSync;
  private readonly commit: StatementSync;
  private readonly insert: StatementSync;
  private readonly findPlaces: StatementSync;
  private readonly findData: StatementSync;
  private readonly findLast: StatementSync;
  /** Loaded when an append first needs it: the service itself always names the revision. */
  private recentIds: RecentEventIds | null = null;
  private last: bigint;

  constructor(
    private readonly database: DatabaseSync,
    private readonly tail: LogTail,
  ) {
    this.streams = new StreamTable(database);
    this.begin = database.prepare('BEGIN IMMEDIATE');
    this.commit = database.prepare('COMMIT');
    this.insert = database.prepare(
      `INSERT INTO events (position, stream_id, revision, category_id, created, content_type, type, id, metadata, data)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.findPlaces = database.prepare(
      'SELECT id, revision, position FROM events WHERE stream_id = ? AND revision >= ? ORDER BY revision LIMIT ?',
    );
    this.findData = database.prepare('SELECT data FROM events WHERE stream_id = ? AND revision = ?');
    this.findLast = database.prepare('SELECT max(position) FROM events');
    this.last = this.readLastPosition();
  }

  /** Position of the log's last event, 0 when it is empty. */
  get lastPosition(): bigint {
    return this.last;
  }

  /**
   * Judges and writes the appends in order; each sees those before it. A refused one does not affect the others. The
   * outcomes hold only once this has returned. If it throws, assume that none was written and call `recover` before the
   * next batch.
   */
  write(requests: readonly AppendRequest[], createdTicks: bigint): AppendOutcome[] {
    this.begin.run();
    const outcomes = requests.map((request) => this.apply(request, createdTicks));
    this.commit.run();
    this.tail.committed();
    return outcomes;
  }

  /**
   * The stream's id and last revision, or null if it has no events. A missing stream is cached too, since a lookup
   * is mostly followed by a write. @throws StreamDeletedError when tombstoned
   */
  findStream(name: string): { readonly id: bigint; readonly lastRevision: bigint } | null {
    const { ids, lastRevision } = this.streams.head(name);
    if (lastRevision === TOMBSTONE_REVISION) throw new StreamDeletedError(name);
    return ids === null || lastRevision === NO_REVISION ? null : { id: ids.stream, lastRevision };
  }

  /** A durable write that changes nothing. @throws when it fails */
  probe(): void {
    try {
      this.database.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`);
    } catch (error) {
      if (this.database.isTransaction) this.database.exec('ROLLBACK');
      throw error;
    }
  }

  /**
   * Returns to the state of the file after a failure.
   *
   * @throws when the file cannot be read or ends at an unexpected position: it must not be written to again.
   */
  recover(lastBefore: bigint): void {
    const lastIntended = this.last;
    if (this.database.isTransaction) this.database.exec('ROLLBACK');
    this.streams.forget();
    this.tail.forget();
    this.recentIds = null;
    this.last = this.readLastPosition();
    // A commit may have reached the file although its sync failed; then the whole batch is there.
    if (this.last !== lastBefore && this.last !== lastIntended) {
      throw new Error(`The log ends at position ${this.last} where ${lastBefore} was expected`);
    }
  }

  private apply(request: AppendRequest, createdTicks: bigint): AppendOutcome {
    const head = this.streams.head(request.streamName);
    const judgement = this.judge(head, request);
    switch (judgement.kind) {
      case 'refused':
        return { error: judgement.error };
      case 'already-written':
        return { result: judgement.result };
      case 'write':
        return { result: this.carryOut(request, head, createdTicks) };
    }
  }

  private carryOut({ kind, events }: AppendRequest, head: StreamHead, createdTicks: bigint): LogAppendResult {
    if (kind === 'soft-delete') {
      const metadata = this.streams.head(METADATA_PREFIX + head.name);
      this.appendMetadata(metadata, softDeletion(), createdTicks);
      return { revision: head.lastRevision, position: this.last };
    }
    // Even an append of no events recreates its stream.
    const recreated = kind === 'append' ? this.deletedStreamBehind(head) : null;
    for (const event of events) {
      const revision = kind === 'tombstone' ? TOMBSTONE_REVISION : head.lastRevision + 1n;
      this.append(head, revision, event, createdTicks);
    }
    const result = { revision: head.lastRevision, position: this.last };
    if (recreated !== null) this.recreate(recreated, createdTicks);
    return result;
  }

  /** The softly deleted stream that a write to it, or to its metadata, recreates. */
  private deletedStreamBehind(head: StreamHead): DeletedStream | null {
    const byMetadata = head.name.startsWith(METADATA_PREFIX);
    const name = byMetadata ? head.name.slice(METADATA_PREFIX.length) : head.name;
    if (!this.isSoftDeleted(name)) return null;
    return { name, first: (byMetadata ? this.streams.head(name) : head).lastRevision + 1n, byMetadata };
  }

  /** Keeps the deleted events hidden when the stream is recreated. */
  private recreate({ name, first, byMetadata }: DeletedStream, createdTicks: bigint): void {
    const metadata = this.streams.head(METADATA_PREFIX + name);
    const data = this.lastData(metadata);
    // The new metadata may itself delete the stream again.
    const isDeletedAnew = byMetadata && isSoftDeletion(readStreamMetadata(data));
    if (!isDeletedAnew) this.appendMetadata(metadata, truncatedBefore(data, first), createdTicks);
  }

  private judge(head: StreamHead, { kind, expected, events }: AppendRequest): Judgement {
    const { ids, name } = head;
    const facts = {
      name,
      lastRevision: this.isMetadataOfTombstoned(name) ? TOMBSTONE_REVISION : head.lastRevision,
      hasMetadata: () => this.streams.metadataOf(name) !== null,
      isSoftDeleted: () => this.isSoftDeleted(name),
      eventsFrom: (revision: bigint, count: number) => (ids === null ? [] : this.places(ids.stream, revision, count)),
      recent: (id: string) =>
        ids === null ? undefined : (this.recentIds ??= RecentEventIds.read(this.database)).find(ids.stream, id),
    };
    if (kind === 'soft-delete') return judgeSoftDelete(facts, expected);
    return judgeAppend(
      facts,
      expected,
      events.map(({ id }) => id),
    );
  }

  private isSoftDeleted(name: string): boolean {
    const head = this.streams.metadataOf(name);
    if (head === null) return false;
    return isSoftDeletion((head.metadata ??= readStreamMetadata(this.lastData(head))));
  }

  private lastData({ ids, lastRevision }: StreamHead): Uint8Array {
    if (ids === null) return new Uint8Array(0);
    const [data] = this.findData.get(ids.stream, lastRevision) as unknown as [Uint8Array];
    return data;
  }

  private appendMetadata(head: StreamHead, data: Uint8Array, createdTicks: bigint): void {
    const event = { id: randomUUID(), type: METADATA_TYPE, isJson: true, data, metadata: new Uint8Array(0) };
    this.append(head, head.lastRevision + 1n, event, createdTicks);
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
    this.tail.written({ ...event, streamName: head.name, revision, position, createdTicks });
    this.last = position;
    head.lastRevision = revision;
    head.metadata = undefined;
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
