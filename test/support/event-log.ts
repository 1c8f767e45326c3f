import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { EventBatch } from '@app/event-sourcing';
import { openStore } from '@app/stores/testing/eventstoredb/stores';
import { type EventStoreAccess, eventStoreFolder, givenEventStoreOf } from './event-store-of';

/** An event of the log, with the exact text of its data and metadata. */
export interface LoggedEvent {
  readonly position: number;
  readonly streamId: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

const EVENTS = `
  SELECT e.position AS position, s.name AS stream, e.revision AS revision, lower(hex(e.id)) AS id, e.type AS type,
         e.data AS data, e.metadata AS metadata
  FROM events e JOIN streams s ON s.id = e.stream_id ORDER BY e.position`;

/**
 * Every event that the services on this folder have stored, in log order. Running processes may have the file open. If
 * the log is in an event store, the store's own events are left out, stream names come without the prefix, and
 * positions are renumbered.
 */
export async function readLog(dataDir: string): Promise<readonly LoggedEvent[]> {
  const given = await givenEventStoreOf(dataDir);
  if (given !== null) return readThroughClient(given);
  const served = eventStoreFolder(dataDir);
  if (!existsSync(served)) return readFile(dataDir);
  const events = readFile(served).filter(({ streamId }) => !streamId.startsWith('$'));
  return events.map((event, index) => ({ ...event, position: index + 1 }));
}

/**
 * The number of events caused by requests: without those by which processes announce themselves, and those that workers
 * append.
 */
export async function countEvents(dataDir: string): Promise<number> {
  const events = (await readLog(dataDir)).filter(({ streamId }) => streamId !== 'installations');
  const actors = events.map(({ metadata }) => (JSON.parse(metadata) as { actor?: string }).actor ?? '');
  return actors.filter((actor) => !actor.startsWith('worker:')).length;
}

export async function eventsOf(dataDir: string, streamId: string): Promise<readonly LoggedEvent[]> {
  return (await readLog(dataDir)).filter((event) => event.streamId === streamId);
}

function readFile(folder: string): readonly LoggedEvent[] {
  const db = new DatabaseSync(join(folder, 'events.sqlite'), { readOnly: true, timeout: 2_000 });
  try {
    const rows = db.prepare(EVENTS).all();
    return rows.map((row) => ({
      position: Number(row['position']),
      streamId: String(row['stream']),
      revision: Number(row['revision']),
      id: String(row['id']).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
      type: String(row['type']),
      data: textOf(row['data']),
      metadata: textOf(row['metadata']),
    }));
  } finally {
    db.close();
  }
}

/** The files of a server can't be accessed. */
async function readThroughClient({ EVENTSTORE_URL, STREAM_PREFIX }: EventStoreAccess): Promise<readonly LoggedEvent[]> {
  const store = openStore(EVENTSTORE_URL, { streamPrefix: STREAM_PREFIX });
  const events: LoggedEvent[] = [];
  try {
    for (let after: bigint | null = null, isEnd = false; !isEnd;) {
      const page: EventBatch = await store.readAll({ after, filter: { streamPrefixes: [''] }, maxCount: 500 });
      for (const event of page.events) events.push({ ...event, position: events.length + 1 });
      [after, isEnd] = [page.position, page.caughtUp];
    }
    return events;
  } finally {
    await store.close();
  }
}

/** Throws if the bytes are not valid UTF-8. */
function textOf(value: unknown): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value as Uint8Array);
}

/**
 * The log's problems, checked by its documented format and not with the service's code; empty if it is intact:
 * positions and revisions without gaps, times that never run backwards within a stream, JSON that round-trips to the
 * same bytes, and each event's SHA-256 over the netstrings of its parts, its predecessor's hash and its MAC.
 */
export function problemsOfLog(events: readonly LoggedEvent[]): readonly string[] {
  const problems: string[] = [];
  const ids = new Set<string>();
  const last = new Map<string, { readonly revision: number; readonly hash: string; readonly recordedAt: string }>();
  events.forEach((event, index) => {
    const { streamId, revision, data, metadata: text, id } = event;
    const complain = (what: string) => problems.push(`${streamId}@${revision} (${event.type}): ${what}`);
    if (event.position !== index + 1) complain(`is at position ${event.position}, not ${index + 1}`);
    if (ids.has(id)) complain('has the id of an earlier event');
    ids.add(id);
    const metadata = JSON.parse(text) as Record<string, string | number | null>;
    if (JSON.stringify(JSON.parse(data)) !== data) complain('its data change when they are read and written');
    if (JSON.stringify(metadata) !== text) complain('its metadata change when they are read and written');
    const before = last.get(streamId);
    if (revision !== (before?.revision ?? -1) + 1) complain(`follows revision ${before?.revision ?? 'none'}`);
    const recordedAt = String(metadata['recordedAt']);
    if (before !== undefined && recordedAt < before.recordedAt) complain('was recorded before its predecessor');
    if (metadata['previousHash'] !== (before?.hash ?? '')) complain("does not name its predecessor's hash");
    if (metadata['hash'] !== hashOf(event, metadata)) complain('its hash is not that of its content');
    last.set(streamId, { revision, hash: String(metadata['hash']), recordedAt });
  });
  return problems;
}

function hashOf(event: LoggedEvent, metadata: Readonly<Record<string, string | number | null>>): string {
  const { streamId, revision, id, type, data } = event;
  const { recordedAt, previousHash, schemaVersion, correlationId, causationId, actor, macKeyId, mac } = metadata;
  const parts = [streamId, revision, id, type, recordedAt, data, previousHash, schemaVersion, correlationId];
  const hash = createHash('sha256');
  for (const part of [...parts, causationId ?? '', actor, macKeyId, mac]) {
    const bytes = Buffer.from(String(part), 'utf8');
    hash.update(`${bytes.length}:`).update(bytes).update(',');
  }
  return hash.digest('hex');
}
