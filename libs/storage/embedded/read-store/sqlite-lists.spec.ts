import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DECLARED, item, LIST, listed, NOW, ReadStoreFixture } from '../../contracts/read-store.fixture';
import { createTables } from './schema';
import { SqliteReadStore } from './sqlite-read-store';
import { prepareStatements } from './statements';

let dataDir: string;

const t = new ReadStoreFixture(async () => {
  const onReplaced = (_: string, why: string): void => {
    throw new Error(why);
  };
  const store = new SqliteReadStore({ dataDir, onReplaced });
  return { store, dispose: () => store.close() };
});

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'read-store-'));
  await t.begin();
});

afterEach(async () => {
  await t.end();
  await rm(dataDir, { recursive: true });
});

function onFile<T>(work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(join(dataDir, 'read-models.sqlite'));
  try {
    return work(db);
  } finally {
    db.close();
  }
}

describe('places', () => {
  it('are touched only where they change', async () => {
    onFile((db) =>
      db.exec(`
        CREATE TABLE touched (what TEXT);
        CREATE TRIGGER added AFTER INSERT ON place BEGIN INSERT INTO touched VALUES ('+' || new.list || new."order"); END;
        CREATE TRIGGER removed AFTER DELETE ON place BEGIN INSERT INTO touched VALUES ('-' || old.list || old."order"); END;
      `),
    );
    const touched = () =>
      onFile((db) => {
        const rows = db.prepare('SELECT what FROM touched ').all() as { what: string }[];
        db.exec('DELETE FROM touched');
        return rows.map(({ what }) => what).sort();
      });
    await t.write(listed('k', 'l:1', 'm:1', 'n:1'), listed('nowhere'));
    expect(await t.page('l')).toEqual(['1 k']);
    expect(touched()).toEqual(['+l1', '+m1', '+n1']);
    await t.write({ ...listed('k', 'l:1', 'm:1', 'n:1'), document: { changed: true } }, listed('nowhere'));
    await t.write(listed('k', 'n:1', 'l:1', 'm:1', 'l:1'));
    expect(touched()).toEqual([]);
    await t.write(listed('k', 'l:1', 'o:1', 'n:2'));
    expect(touched()).toEqual(['+n2', '+o1', '-m1', '-n1']);
    await t.write({ ...listed('k'), document: null }, { ...listed('nowhere'), document: null });
    expect(touched()).toEqual(['-l1', '-n2', '-o1']);
  });
});

describe('statements', () => {
  it('find all they look for in an index, in the order they want', () => {
    const db = new DatabaseSync(':memory:');
    createTables(db);
    const odd = Object.entries(prepareStatements(db)).flatMap(([name, { sourceSQL }]) => {
      const steps = db.prepare(`EXPLAIN QUERY PLAN ${sourceSQL}`).all() as { detail: string }[];
      const scans = steps.filter(({ detail }) => /SCAN (?!CONSTANT|each_)|TEMP B-TREE/.test(detail));
      return scans.map(({ detail }) => `${name}: ${detail}`);
    });
    db.close();
    // The owners that the walk has found are sorted by how long they wait.
    expect(odd).toEqual(['waitingOwners: USE TEMP B-TREE FOR ORDER BY']);
  });
});

describe('groups of one owner', () => {
  it('are all looked at in their turn, however many stand behind a crowded one', async () => {
    const crowded = Array.from({ length: 9_000 }, (_, n) => item(`crowded${n}`, NOW - 20_000 + n, 'a|crowded'));
    const many = Array.from({ length: 5_000 }, (_, n) => item(`k${n}`, NOW - n, `a|${n}`));
    await t.write(...crowded, ...many, item('late', NOW - 9_000, 'a|zzz'));
    const named = new Set<string>();
    for (let call = 1; call <= 3; call += 1) {
      const groups = await t.store.dueGroups(LIST, NOW, 1_000, 20);
      expect(groups).toHaveLength(20);
      expect(groups[0]).toBe('a|crowded');
      groups.forEach((group) => named.add(group));
    }
    expect([...named]).toContain('a|zzz');
    t.version = await t.store.restart(t.version.projection, { declaredVersion: DECLARED, head: null, nowMs: 1 });
    await t.write(...crowded, item('k', NOW, 'a|k'), item('l', NOW - 1, 'a|l'));
    expect(await t.store.dueGroups(LIST, NOW, 10, 10)).toEqual(['a|crowded', 'a|l', 'a|k']);
  });
});
