import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';

/** One event, by stream and revision. */
export const WHERE = 'stream_id = (SELECT id FROM streams WHERE name = ?) AND revision = ?';

export function texts(log: DatabaseSync, streamId: string, revision: number) {
  const row = log.prepare(`SELECT data, metadata FROM events WHERE ${WHERE}`).get(streamId, revision)!;
  const text = (value: unknown) => Buffer.from(value as Uint8Array).toString('utf8');
  return { data: text(row['data']), metadata: text(row['metadata']) };
}

export function set(
  log: DatabaseSync,
  streamId: string,
  revision: number,
  column: 'data' | 'metadata',
  value: Uint8Array,
) {
  const { changes } = log.prepare(`UPDATE events SET ${column} = ? WHERE ${WHERE}`).run(value, streamId, revision);
  expect(changes).toBe(1);
}

export function replaced(log: DatabaseSync, streamId: string, revision: number, from: RegExp, to: string) {
  for (const column of ['data', 'metadata'] as const) {
    const text = texts(log, streamId, revision)[column];
    if (from.test(text)) return set(log, streamId, revision, column, Buffer.from(text.replace(from, to)));
  }
  throw new Error(`${streamId} does not have ${from}`);
}

/** Appends an event as another client of the file could. */
export function appended(log: DatabaseSync, streamId: string, type: string, data: string, metadata: string): number {
  const [last] = log
    .prepare(
      'SELECT max(revision) AS revision, stream_id, category_id FROM events WHERE stream_id = (SELECT id FROM streams WHERE name = ?)',
    )
    .all(streamId) as unknown as [{ revision: number; stream_id: number; category_id: number }];
  const insert = `INSERT INTO events VALUES ((SELECT max(position) + 1 FROM events), ?, ?, ?, 0, 1, ?, ?, ?, ?)`;
  const id = Buffer.from(randomUUID().replaceAll('-', ''), 'hex');
  const row = [last.stream_id, last.revision + 1, last.category_id, type, id, Buffer.from(metadata), Buffer.from(data)];
  log.prepare(insert).run(...row);
  return last.revision + 1;
}

export const remove = (log: DatabaseSync, streamId: string, from: number, to = from) =>
  log
    .prepare(
      'DELETE FROM events WHERE stream_id = (SELECT id FROM streams WHERE name = ?) AND revision BETWEEN ? AND ?',
    )
    .run(streamId, from, to);
