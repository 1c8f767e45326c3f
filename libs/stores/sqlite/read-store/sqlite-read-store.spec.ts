import { copyFileSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ReadStoreUnavailableError } from '@app/event-sourcing';
import {
  DECLARED,
  checkpoint,
  commitTo,
  LEASE,
  listed,
  NOW,
  OTHER_DECLARED,
  PROJECTION,
  view,
  VIEWS,
} from '@app/stores/contracts/read-store.fixture';
import { SqliteReadStore } from './sqlite-read-store';

let dataDir: string;
let file: string;
let replaced: { file: string; why: string }[];
const opened: SqliteReadStore[] = [];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'read-store-'));
  file = join(dataDir, 'read-models.sqlite');
  replaced = [];
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
  await rm(dataDir, { recursive: true });
});

function openStore(directory = dataDir): SqliteReadStore {
  const store = new SqliteReadStore({
    dataDir: directory,
    onReplaced: (path, why) => replaced.push({ file: path, why }),
  });
  opened.push(store);
  return store;
}

/** The position that the store stands at; its documents must be those of exactly that position. */
async function positionOf(store: SqliteReadStore): Promise<bigint> {
  const position = (await store.versions(PROJECTION)).active?.checkpoint?.position ?? 0n;
  const keys = Array.from({ length: 40 }, (_, index) => `k${index + 1}`);
  const expected = keys.map((_, index) => (BigInt(index + 1) <= position ? { n: index + 1 } : null));
  expect(await store.getMany(VIEWS, keys)).toEqual(expected);
  return position;
}

async function commitForty(store: SqliteReadStore): Promise<void> {
  let version = await store.open(PROJECTION, { declaredVersion: DECLARED, head: null, nowMs: 1 });
  for (let n = 1; n <= 40; n += 1) version = await commitTo(store, version, BigInt(n), view(`k${n}`, { n }));
}

describe('the file', () => {
  it('is readable by its owner alone, with its log', async () => {
    writeFileSync(file, '', { mode: 0o644 });
    await openStore().open(PROJECTION, { declaredVersion: DECLARED, head: null, nowMs: 1 });
    for (const suffix of ['', '-wal', '-shm']) expect(statSync(file + suffix).mode & 0o777).toBe(0o600);
  });

  it('is created together with its directory', async () => {
    const nested = join(dataDir, 'some', 'where');
    await openStore(nested).open(PROJECTION, { declaredVersion: DECLARED, head: null, nowMs: 1 });
    expect(statSync(nested).mode & 0o777).toBe(0o700);
  });

  it('keeps documents, their list entries, checkpoint and leases', async () => {
    const first = openStore();
    const version = await first.open(PROJECTION, { declaredVersion: DECLARED, head: 5n, nowMs: 1 });
    const before = await commitTo(first, version, 6n, view('k', { n: 1 }), listed('l', 'all:1'));
    await first.lease({ name: 'unit', nowMs: NOW, owner: 'one', leaseMs: LEASE });
    await first.close();
    expect(existsSync(`${file}-wal`)).toBe(false);

    const second = openStore();
    expect(await second.open(PROJECTION, { declaredVersion: DECLARED, head: 99n, nowMs: 1 })).toEqual(before);
    expect(await second.getMany(VIEWS, ['k'])).toEqual([{ n: 1 }]);
    const page = { name: VIEWS, list: 'all', direction: 'ascending' as const, after: null, limit: 9 };
    expect(await second.page(page)).toEqual([{ key: 'l', order: '1', document: { key: 'l' } }]);
    expect(await second.lease({ name: 'unit', nowMs: NOW, owner: 'two', leaseMs: LEASE })).toEqual(['one']);
    expect(replaced).toEqual([]);
  });

  it('can be closed twice, and is then unavailable', async () => {
    const store = openStore();
    await Promise.all([store.close(), store.close()]);
    await expect(store.versions(PROJECTION)).rejects.toThrow(ReadStoreUnavailableError);
    await expect(store.open(PROJECTION, { declaredVersion: DECLARED, head: null, nowMs: 1 })).rejects.toThrow(
      ReadStoreUnavailableError,
    );
  });
});

describe('after a crash', () => {
  it('holds every commit when only the process died', async () => {
    const store = openStore();
    await commitForty(store);
    const copy = await mkdtemp(join(dataDir, 'copy-'));
    for (const suffix of ['', '-wal']) copyFileSync(file + suffix, join(copy, `read-models.sqlite${suffix}`));
    expect(await positionOf(openStore(copy))).toBe(40n);
    expect(replaced).toEqual([]);
  });

  it('holds the first so many whole commits, wherever a power cut has torn the log', async () => {
    const store = openStore();
    await commitForty(store);
    const { size } = statSync(`${file}-wal`);
    const positions: bigint[] = [];
    for (let part = 0; part <= 12; part += 1) {
      const copy = await mkdtemp(join(dataDir, 'torn-'));
      for (const suffix of ['', '-wal']) copyFileSync(file + suffix, join(copy, `read-models.sqlite${suffix}`));
      truncateSync(join(copy, 'read-models.sqlite-wal'), Math.floor((size * part) / 12));
      const torn = openStore(copy);
      positions.push(await positionOf(torn));
      await torn.open(PROJECTION, { declaredVersion: DECLARED, head: null, nowMs: 1 });
    }
    expect(positions).toEqual([...positions].sort((one, other) => Number(one - other)));
    expect([positions[0], positions.at(-1)]).toEqual([0n, 40n]);
    expect(new Set(positions).size).toBeGreaterThan(5);
    expect(replaced).toEqual([]);
  });
});

describe('a lost file', () => {
  it.each([
    ['with its log', ['', '-wal', '-shm']],
    ['without its log', ['']],
  ])('that was deleted %s is begun anew', async (_, suffixes) => {
    const running = openStore();
    await commitForty(running);
    for (const suffix of suffixes) rmSync(file + suffix);
    const store = openStore();
    expect((await store.versions(PROJECTION)).active).toBeNull();
    const version = await store.open(PROJECTION, { declaredVersion: DECLARED, head: 7n, nowMs: 1 });
    expect(version).toMatchObject({ version: 1, checkpoint: null, completeFrom: 7n });
    await commitTo(store, version, 8n, view('k', { n: 8 }));
    expect(await store.getMany(VIEWS, ['k', 'k1'])).toEqual([{ n: 8 }, null]);
  });

  it('is noticed while it is in use, and begun anew', async () => {
    const store = openStore();
    const version = await store.open(PROJECTION, { declaredVersion: DECLARED, head: 1n, nowMs: 1 });
    rmSync(file);
    await expect(commitTo(store, version, 2n)).rejects.toThrow(ReadStoreUnavailableError);
    expect(replaced).toEqual([{ file, why: 'it was removed' }]);
    expect((await store.versions(PROJECTION)).active).toBeNull();
    await commitTo(
      store,
      await store.open(PROJECTION, { declaredVersion: DECLARED, head: 2n, nowMs: 1 }),
      3n,
      view('k', { n: 3 }),
    );
    await store.close();
    expect(await openStore().getMany(VIEWS, ['k'])).toEqual([{ n: 3 }]);
  });

  it.each([
    ['garbage', Buffer.alloc(20_000, 'no database at all')],
    ['a cut-off header', Buffer.from('SQLite format 3\0')],
  ])('that holds %s is moved aside, loudly', async (_, garbage) => {
    writeFileSync(file, garbage);
    const store = openStore();
    expect(replaced).toHaveLength(1);
    expect(replaced[0]?.file).toBe(file);
    expect(readFileSync(`${file}.corrupt`).equals(garbage)).toBe(true);
    await commitForty(store);
    expect(await positionOf(store)).toBe(40n);
  });

  it('whose pages turn out to be garbage in use is moved aside, loudly, and the store goes on', async () => {
    const first = openStore();
    const writes = Array.from({ length: 2_000 }, (_, index) => view(`k${index}`, { text: 'x'.repeat(200) }));
    await commitTo(
      first,
      await first.open(PROJECTION, { declaredVersion: DECLARED, head: null, nowMs: 1 }),
      1n,
      ...writes,
    );
    await first.close();
    const bytes = readFileSync(file);
    // All but the first page, which holds the header and the table of tables.
    writeFileSync(file, bytes.fill(0xa5, 4_096));

    const store = openStore();
    const listener = jest.fn();
    store.onLost(listener);
    await expect(store.getMany(VIEWS, ['k1'])).rejects.toThrow(ReadStoreUnavailableError);
    expect(replaced).toHaveLength(1);
    expect(listener).toHaveBeenCalledTimes(1);
    await commitForty(store);
    expect(await positionOf(store)).toBe(40n);
  });

  it('whose structure is damaged is found at the start after a crash', async () => {
    const first = openStore();
    const writes = Array.from({ length: 2_000 }, (_, index) => view(`k${index}`, { text: 'x'.repeat(200) }));
    await commitTo(
      first,
      await first.open(PROJECTION, { declaredVersion: DECLARED, head: null, nowMs: 1 }),
      1n,
      ...writes,
    );
    await first.close();
    const second = openStore();
    await commitTo(second, (await second.versions(PROJECTION)).active!, 2n);
    const copy = await mkdtemp(join(dataDir, 'copy-'));
    copyFileSync(`${file}-wal`, join(copy, 'read-models.sqlite-wal'));
    const bytes = readFileSync(file);
    writeFileSync(join(copy, 'read-models.sqlite'), bytes.fill(0, bytes.length - 100_000));

    expect((await openStore(copy).versions(PROJECTION)).active).toBeNull();
    expect(replaced).toHaveLength(1);
  });

  it.each([
    ['other tables', 'PRAGMA application_id = 0x4366524d; PRAGMA user_version = 999', false],
    ["another program's data", 'CREATE TABLE cookies (id INTEGER); PRAGMA user_version = 1', true],
  ])('that holds %s makes room for a new one', async (_, sql, kept) => {
    const db = new DatabaseSync(file);
    db.exec(sql);
    db.close();
    await commitForty(openStore());
    expect(replaced).toHaveLength(1);
    expect(existsSync(`${file}.corrupt`)).toBe(kept);
  });
});

describe('several instances on one file', () => {
  it('fence each other', async () => {
    const [one, two] = [openStore(), openStore()];
    const version = await one.open(PROJECTION, { declaredVersion: DECLARED, head: null, nowMs: 1 });
    expect(await two.open(PROJECTION, { declaredVersion: DECLARED, head: null, nowMs: 1 })).toEqual(version);
    const advanced = await commitTo(one, version, 1n, view('k', { by: 'one' }));
    const { version: number, declaredVersion } = version;
    const late = { projection: PROJECTION, version: number, declaredVersion, expected: null, next: checkpoint(1n) };
    expect(await two.commit({ ...late, writes: [view('k', { by: 'two' })] })).toBe('fenced');
    expect(await two.getMany(VIEWS, ['k'])).toEqual([{ by: 'one' }]);

    await two.restart(PROJECTION, { declaredVersion: OTHER_DECLARED, head: 1n, nowMs: 1 });
    expect(await one.commit({ ...late, expected: advanced.checkpoint, writes: [] })).toBe('fenced');
    expect(await one.getMany(VIEWS, ['k'])).toEqual([null]);
  });

  it('never hold the same lease', async () => {
    const [one, two] = [openStore(), openStore()];
    const lease = { name: 'unit', nowMs: NOW, leaseMs: LEASE };
    expect(await one.lease({ ...lease, owner: 'one' })).toEqual(['one']);
    expect(await two.lease({ ...lease, owner: 'two' })).toEqual(['one']);
  });

  it('wait for a writer that takes too long, then say so, and lose nothing', async () => {
    const store = openStore();
    const version = await commitTo(
      store,
      await store.open(PROJECTION, { declaredVersion: DECLARED, head: null, nowMs: 1 }),
      1n,
      view('k', { n: 1 }),
    );
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    await expect(commitTo(store, version, 2n, view('k', { n: 2 }))).rejects.toThrow(ReadStoreUnavailableError);
    expect(await store.getMany(VIEWS, ['k'])).toEqual([{ n: 1 }]);
    other.exec('ROLLBACK');
    other.close();
    await commitTo(store, version, 2n, view('k', { n: 2 }));
    expect(replaced).toEqual([]);
  });
});
