import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { listed, ReadStoreFixture } from '@app/stores/contracts/read-store.fixture';
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

describe('list entries', () => {
  it('are touched only where they change', async () => {
    onFile((db) =>
      db.exec(`
        CREATE TABLE touched (what TEXT);
        CREATE TRIGGER added AFTER INSERT ON list_entry BEGIN INSERT INTO touched VALUES ('+' || new.list || new."order"); END;
        CREATE TRIGGER removed AFTER DELETE ON list_entry BEGIN INSERT INTO touched VALUES ('-' || old.list || old."order"); END;
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
      const scans = steps.filter(({ detail }) => /SCAN (?!CONSTANT)|TEMP B-TREE/.test(detail));
      return scans.map(({ detail }) => `${name}: ${detail}`);
    });
    db.close();
    expect(odd).toEqual([]);
  });
});
