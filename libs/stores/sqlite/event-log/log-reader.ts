import { StreamDeletedError } from '@app/event-sourcing';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { MAX_PAGE_BYTES } from '@app/stores/recent-events';
import { categoryOf, EVENT_COLUMNS, type LogEvent, readLogEvent, TOMBSTONE_REVISION } from './log-event';
import {
  describe,
  isReadable,
  type ReadDirection,
  type StreamDescription,
  type StreamPage,
} from './stream-description';
import { METADATA_PREFIX, NO_METADATA, readStreamMetadata, type StreamMetadata } from './stream-metadata';

/** Selects events of the whole log, by stream prefix and, if given, by type. */
export interface LogFilter {
  readonly streamPrefixes: readonly string[];
  readonly types?: readonly string[] | undefined;
  /** A further condition, called for each event that the others select. */
  readonly accepts?: ((event: Pick<LogEvent, 'streamName' | 'type'>) => boolean) | undefined;
  /** Called after each considered event: true ends the page, because `accepts` has taken too long. */
  readonly isLongEnough?: (() => boolean) | undefined;
}

export interface LogPage {
  readonly events: readonly LogEvent[];
  /** The last position that was considered, matching or not. */
  readonly position: bigint;
}

/** How the events of a page are found. */
interface Plan {
  /** Null to walk the whole log. */
  readonly categories: readonly bigint[] | null;
  /** Whether every event on the walk matches. */
  readonly exact: boolean;
}

/** How many events a page may consider. */
const MAX_CONSIDERED = 2_048;

/** With more categories than this, walking the whole log is cheaper. */
const MAX_CATEGORIES = 16;
const MAX_STATEMENTS = 64;
const FEW = 8;
/** The highest code point, which is no character: ends the range of strings with a common prefix. */
const END_OF_RANGE = '\u{10FFFF}';

/**
 * Reads of bounded size. Each runs within one turn of the event loop and leaves no transaction open, so that the WAL
 * can always be checkpointed.
 */
export class LogReader {
  private readonly statements = new Map<string, StatementSync>();

  constructor(private readonly database: DatabaseSync) {}

  /** The stream's id and last revision, or null when it holds no events. @throws StreamDeletedError when tombstoned */
  findStream(name: string): { readonly id: bigint; readonly lastRevision: bigint } | null {
    const stream = this.find(name);
    if (stream?.isTombstoned) throw new StreamDeletedError(name);
    return stream;
  }

  /** What can be read of the stream, by the rules of its metadata. */
  describe(name: string, nowMs: number): StreamDescription {
    const stream = this.find(name);
    if (!name.startsWith(METADATA_PREFIX)) return describe(name, stream, this.metadataOf(name), nowMs);
    // Only the last metadata event counts, and it ends with its stream.
    const isTombstoned =
      stream?.isTombstoned === true || this.find(name.slice(METADATA_PREFIX.length))?.isTombstoned === true;
    const own = stream ?? (isTombstoned ? { id: 0n, lastRevision: TOMBSTONE_REVISION } : null);
    return describe(name, own && { ...own, isTombstoned }, { ...NO_METADATA, maxCount: 1n }, nowMs);
  }

  private find(name: string): { id: bigint; lastRevision: bigint; isTombstoned: boolean } | null {
    const row = this.prepare(
      'SELECT id, (SELECT max(revision) FROM events WHERE stream_id = streams.id) FROM streams WHERE name = ?',
    ).get(name) as unknown as [bigint, bigint | null] | undefined;
    if (row === undefined || row[1] === null) return null;
    const [id, lastRevision] = row;
    return { id, lastRevision, isTombstoned: lastRevision === TOMBSTONE_REVISION };
  }

  private metadataOf(name: string): StreamMetadata {
    const row = this.prepare(
      `SELECT data FROM events WHERE stream_id = (SELECT id FROM streams WHERE name = ?)
       ORDER BY revision DESC LIMIT 1`,
    ).get(METADATA_PREFIX + name) as unknown as [Uint8Array] | undefined;
    return row === undefined ? NO_METADATA : readStreamMetadata(row[0]);
  }

  /** At most `maxCount` readable events of an existing stream; `from` is inclusive. */
  readDescribed(
    stream: StreamDescription,
    options: { readonly direction: ReadDirection; readonly from: bigint; readonly maxCount: number },
  ): StreamPage {
    const { id, firstRevision, lastRevision } = stream;
    const forwards = options.direction === 'forwards';
    const from = forwards ? max(options.from, firstRevision) : min(options.from, lastRevision);
    const to = forwards ? lastRevision : firstRevision;
    if (id === null || stream.state !== 'existing' || (forwards ? from > to : from < to)) {
      return { events: [], next: null };
    }
    const found = this.readStreamPage(id, { from, to, maxCount: options.maxCount });
    const last = found.at(-1);
    const next = last === undefined || last.revision === to ? null : last.revision + (forwards ? 1n : -1n);
    const events = found.filter((event) => isReadable(event, stream));
    // Events further back are older, so they have expired too.
    return { events, next: !forwards && events.length < found.length ? null : next };
  }

  /**
   * The events before a position, the latest first. `position` is that of the page's last event, or 0 at the log's
   * start.
   */
  readAllBackwards(options: { readonly before: bigint; readonly maxCount: number }): LogPage {
    const sql = `SELECT ${EVENT_COLUMNS} FROM events e CROSS JOIN streams s ON s.id = e.stream_id
      WHERE e.position < ? ORDER BY e.position DESC LIMIT ?`;
    const events: LogEvent[] = [];
    let bytes = 0;
    for (const row of this.prepare(sql).iterate(options.before, options.maxCount)) {
      const event = readLogEvent(row);
      events.push(event);
      bytes += event.data.byteLength + event.metadata.byteLength;
      if (bytes >= MAX_PAGE_BYTES) break;
    }
    return { events, position: events.at(-1)?.position ?? 0n };
  }

  /** Events of one stream between two revisions, both inclusive; fewer than `maxCount` if they are large. */
  readStreamPage(
    streamId: bigint,
    range: { readonly from: bigint; readonly to: bigint; readonly maxCount: number },
  ): LogEvent[] {
    const { from, to, maxCount } = range;
    const order = from <= to ? 'ASC' : 'DESC';
    const statement = this.prepare(
      `SELECT ${EVENT_COLUMNS} FROM events e CROSS JOIN streams s ON s.id = e.stream_id
       WHERE e.stream_id = ? AND e.revision BETWEEN ? AND ? ORDER BY e.revision ${order} LIMIT ?`,
    );
    const [low, high] = from <= to ? [from, to] : [to, from];
    const events: LogEvent[] = [];
    let bytes = 0;
    // For a few rows `all` takes half the time, and their size does not matter.
    const rows: Iterable<unknown> =
      maxCount <= FEW ? statement.all(streamId, low, high, maxCount) : statement.iterate(streamId, low, high, maxCount);
    for (const row of rows) {
      const event = readLogEvent(row);
      events.push(event);
      bytes += event.data.byteLength + event.metadata.byteLength;
      if (bytes >= MAX_PAGE_BYTES) break;
    }
    return events;
  }

  /**
   * The next matching events after a position, at most `maxCount`; fewer, even none, when the page's limits were
   * reached. The log's end is reached only when the page's position is.
   */
  readAllPage(options: {
    readonly after: bigint;
    readonly last: bigint;
    readonly filter: LogFilter;
    readonly maxCount: number;
  }): LogPage {
    const { after, last, filter, maxCount } = options;
    const plan = this.plan(filter);
    const limit = plan.exact ? maxCount : Math.max(maxCount, MAX_CONSIDERED);
    const events: LogEvent[] = [];
    let position = after;
    let considered = 0;
    let bytes = 0;
    let isFull = false;
    for (const row of this.walk(plan.categories, after, limit)) {
      const event = readLogEvent(row);
      position = event.position;
      considered += 1;
      if (plan.exact || matches(event, filter)) {
        events.push(event);
        bytes += event.data.byteLength + event.metadata.byteLength;
      }
      isFull = events.length === maxCount || bytes >= MAX_PAGE_BYTES || filter.isLongEnough?.() === true;
      if (isFull) break;
    }
    // The walk reached its end: nothing else matches between here and the log's last event.
    if (!isFull && considered < limit && last > position) position = last;
    return { events, position };
  }

  private plan({ streamPrefixes, types, accepts }: LogFilter): Plan {
    const exact = types === undefined && accepts === undefined;
    if (streamPrefixes.includes('')) return { categories: null, exact };
    const whole = new Set<bigint>();
    const inPart = new Set<bigint>();
    for (const prefix of streamPrefixes) {
      const rows = this.prepare('SELECT id FROM categories WHERE name >= ? AND name < ? LIMIT ?').all(
        ...[prefix, prefix + END_OF_RANGE, MAX_CATEGORIES + 1],
      ) as unknown as [bigint][];
      for (const [id] of rows) whole.add(id);
      if (!prefix.includes('-')) continue;
      const found = this.prepare('SELECT id FROM categories WHERE name = ?').get(categoryOf(prefix));
      if (found !== undefined) inPart.add((found as unknown as [bigint])[0]);
    }
    const categories = [...new Set([...whole, ...inPart])];
    if (categories.length > MAX_CATEGORIES) return { categories: null, exact: false };
    return { categories, exact: exact && categories.length === whole.size };
  }

  private walk(categories: readonly bigint[] | null, after: bigint, limit: number): Iterable<unknown> {
    if (categories === null) {
      const sql = `SELECT ${EVENT_COLUMNS} FROM events e CROSS JOIN streams s ON s.id = e.stream_id
        WHERE e.position > ? ORDER BY e.position LIMIT ?`;
      return this.prepare(sql).iterate(after, limit);
    }
    if (categories.length === 0) return [];
    // Each part is in index order already, so SQLite merges them lazily and never sorts.
    const part = 'SELECT position FROM events INDEXED BY events_by_category WHERE category_id = ? AND position > ?';
    const found = `${categories.map(() => part).join(' UNION ALL ')} ORDER BY position LIMIT ?`;
    const sql = `SELECT ${EVENT_COLUMNS} FROM (${found}) p
      CROSS JOIN events e ON e.position = p.position CROSS JOIN streams s ON s.id = e.stream_id
      ORDER BY p.position`;
    const parameters: SQLInputValue[] = categories.flatMap((category) => [category, after]);
    return this.prepare(sql).iterate(...parameters, limit);
  }

  private prepare(sql: string): StatementSync {
    const prepared = this.statements.get(sql);
    if (prepared !== undefined) return prepared;
    if (this.statements.size >= MAX_STATEMENTS) this.statements.clear();
    const statement = this.database.prepare(sql);
    this.statements.set(sql, statement);
    return statement;
  }
}

const max = (a: bigint, b: bigint) => (a > b ? a : b);
const min = (a: bigint, b: bigint) => (a < b ? a : b);

export function matches(event: LogEvent, { streamPrefixes, types, accepts }: LogFilter): boolean {
  if (types !== undefined && !types.includes(event.type)) return false;
  if (!streamPrefixes.some((prefix) => event.streamName.startsWith(prefix))) return false;
  return accepts === undefined || accepts(event);
}
