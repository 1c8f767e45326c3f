import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  DECLARED,
  commitTo,
  listed,
  OTHER_DECLARED,
  PROJECTION,
  view,
  VIEWS,
} from '@app/stores/contracts/read-store.fixture';
import { SqliteReadStore } from './sqlite-read-store';

let dataDir: string;
let file: string;
const opened: SqliteReadStore[] = [];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'read-store-'));
  file = join(dataDir, 'read-models.sqlite');
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
  await rm(dataDir, { recursive: true });
});

function openStore(): SqliteReadStore {
  const store = new SqliteReadStore({ dataDir, onReplaced: () => undefined });
  opened.push(store);
  return store;
}

/** Looks at the tables past the store. */
function count(sql: string): number {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return (db.prepare(`SELECT count(*) AS rows FROM ${sql}`).get() as { rows: number }).rows;
  } finally {
    db.close();
  }
}

describe('what is no longer needed', () => {
  it('goes: the old version, and nothing of another projection', async () => {
    const store = openStore();
    const writes = Array.from({ length: 900 }, (_, index) => listed(`k${index}`, `l:${index}`, 'm:1', `${index}:1`));
    const elsewhere = { ...listed('k', 'l:1'), collection: 'elsewhere' };
    await commitTo(
      store,
      await store.open(PROJECTION, { declaredVersion: DECLARED, head: null, nowMs: 1 }),
      1n,
      ...writes,
      elsewhere,
    );
    expect(count('list_entry')).toBe(2_701);
    await commitTo(
      store,
      await store.open('other', { declaredVersion: DECLARED, head: null, nowMs: 1 }),
      1n,
      listed('k', 'l:1'),
    );
    const renewed = await store.restart(PROJECTION, { declaredVersion: OTHER_DECLARED, head: 1n, nowMs: 1 });
    await commitTo(store, renewed, 1n, listed('k', 'l:1', 'm:1'));
    while (await store.removeOld(PROJECTION));
    expect([count('document'), count('list_entry'), count('dead_version'), count('version')]).toEqual([2, 3, 0, 2]);
    expect(await store.getMany(VIEWS, ['k'])).toEqual([{ key: 'k' }]);
  });

  it('goes also where it dies while something older is being removed, and after a restart in the middle', async () => {
    const store = openStore();
    const writes = Array.from({ length: 900 }, (_, index) => listed(`k${index}`, `l:${index}`));
    const begin = (from: SqliteReadStore) =>
      from.restart(PROJECTION, { declaredVersion: DECLARED, head: null, nowMs: 1 });
    await commitTo(store, await begin(store), 1n, ...writes);
    await commitTo(store, await begin(store), 1n, ...writes);
    for (let step = 0; step < 3; step += 1) expect(await store.removeOld(PROJECTION)).toBe(true);
    await commitTo(store, await begin(store), 1n, view('k', {}));
    for (let step = 0; step < 3; step += 1) expect(await store.removeOld(PROJECTION)).toBe(true);
    await store.close();
    const again = openStore();
    while (await again.removeOld(PROJECTION));
    expect([count('document'), count('list_entry'), count('dead_version')]).toEqual([1, 0, 0]);
  });
});
