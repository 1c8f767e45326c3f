// What lies in the file of the embedded log: read beside the process that writes it.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export function openLogFacts(directory) {
  const database = new DatabaseSync(join(directory, 'events.sqlite'), { readOnly: true });
  const one = (sql) => Object.values(database.prepare(sql).get())[0] ?? 0;
  return {
    /** Events, bytes of their data and metadata, and bytes of the file. */
    size: () => ({
      events: one('SELECT count(*) FROM events'),
      logBytes: one('SELECT sum(length(data) + length(metadata)) FROM events'),
      fileBytes: one('PRAGMA page_count') * one('PRAGMA page_size'),
    }),
    /** By type: how many there are for each payment, and how many bytes of data and metadata they have. */
    types: () => {
      const rows = database
        .prepare(
          'SELECT type, count(*) AS events, avg(length(data) + length(metadata)) AS bytes FROM events GROUP BY type',
        )
        .all();
      const payments = rows.find(({ type }) => type === 'PaymentCreated')?.events ?? 0;
      return rows.map(({ type, events, bytes }) => ({ type, each: events / payments, bytes }));
    },
    close: () => database.close(),
  };
}
