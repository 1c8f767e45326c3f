import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { dueAtOnce, ReadStoreUnavailableError } from '@app/event-sourcing';
import { TO_DO } from '@app/event-sourcing/reactor/to-do-entries';
import { commitTo, DECLARED, item, LIST, NOW, PROJECTION, view, VIEWS } from '@app/stores/contracts/read-store.fixture';
import { SqliteReadStore } from './sqlite-read-store';

let dataDir: string;
let store: SqliteReadStore;
let replaced: string[];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'read-store-'));
  replaced = [];
  store = new SqliteReadStore({ dataDir, onReplaced: (_file, why) => replaced.push(why) });
  const opened = await store.open(PROJECTION, { declaredVersion: DECLARED, head: null, nowMs: 1 });
  await commitTo(
    store,
    opened,
    5n,
    view('k', { n: 1 }),
    item('forged', dueAtOnce(NOW - 1)),
    item('honest', dueAtOnce(NOW)),
  );
});
afterEach(async () => {
  await store.close();
  await rm(dataDir, { recursive: true });
});

function forge(statement: string, ...values: readonly string[]): void {
  const db = new DatabaseSync(join(dataDir, 'read-models.sqlite'));
  db.prepare(statement).run(...values);
  db.close();
}

/** A file that holds something else is begun anew, and built again from the log. */
async function expectBegunAnew(call: () => Promise<unknown>, why: string): Promise<void> {
  await expect(call()).rejects.toThrow(ReadStoreUnavailableError);
  expect(replaced).toEqual([expect.stringContaining(why)]);
  expect((await store.versions(PROJECTION)).active).toBeNull();
}

const NO_DOCUMENTS = ['', '{"key":', '7', 'null', '"text"', '[1]'];

it.each(NO_DOCUMENTS)('a file with an entry of a to-do list that holds %j is begun anew', async (text) => {
  forge('UPDATE document SET body = ? WHERE key = ?', text, 'forged');
  const page = { name: LIST, list: TO_DO.now, direction: 'ascending' as const, after: null, limit: 9 };
  await expectBegunAnew(() => store.page(page), 'a document is no JSON object');
});

it.each(NO_DOCUMENTS)('a file with a document that holds %j is begun anew', async (text) => {
  forge('UPDATE document SET body = ? WHERE key = ?', text, 'k');
  await expectBegunAnew(() => store.getMany(VIEWS, ['k']), 'a document is no JSON object');
});

it.each(['checkpoint', 'complete_from', 'stop'])(
  'a file with a version whose %s is not what was written is begun anew',
  async (column) => {
    forge(`UPDATE version SET ${column} = ?`, '{"posi');
    await expectBegunAnew(() => store.versions(PROJECTION), 'what is kept of a version');
  },
);
