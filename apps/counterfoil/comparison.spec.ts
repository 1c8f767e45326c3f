import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { compareProjection, type ComparisonDependencies } from '@app/audit/comparison/compare-projection';
import type { Difference } from '@app/audit/comparison/difference';
import type { Projection } from '@app/event-sourcing';
import { noneSkipped } from '@app/event-sourcing/testing/observer';
import { Partitions } from '@app/projections/partitions';
import { SpecClock } from '@app/stores/testing/event-log/spec-log';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { SqliteReadStore } from '@app/stores/sqlite';
import { PROJECTIONS } from './projections';
import { EVERY_EVENT } from './testing/every-event';
import { append, projectAll } from './testing/projected-log';

/** Does not wait before it looks again. */
class HurriedClock extends SpecClock {
  override sleep(): Promise<void> {
    return Promise.resolve();
  }
}

let dataDir: string;
let eventStore: MemoryEventStore;
let readStore: SqliteReadStore;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'comparison-'));
  eventStore = new MemoryEventStore();
  readStore = new SqliteReadStore({ dataDir, onReplaced: () => undefined });
});
afterEach(async () => {
  await readStore.close();
  await rm(dataDir, { recursive: true });
});

async function projected(events = EVERY_EVENT, projections: readonly Projection[] = PROJECTIONS): Promise<void> {
  await append(eventStore, events);
  await projectAll(eventStore, readStore, projections);
}

function compare(projection: Projection, options: Partial<ComparisonDependencies> = {}) {
  const rest = () => Promise.resolve();
  const stores = { eventStore, inspection: readStore.inspection, clock: new HurriedClock() };
  return compareProjection(projection, { ...stores, skipped: noneSkipped, maxSize: 1e9, rest, ...options });
}

async function differences(options: Partial<ComparisonDependencies> = {}): Promise<readonly Difference[]> {
  const found: Difference[] = [];
  for (const projection of PROJECTIONS) {
    const comparison = await compare(projection, options);
    if (comparison.kind === 'not comparable') throw new Error(comparison.why);
    expect(comparison.count).toBe(comparison.differences.length);
    found.push(...comparison.differences);
  }
  return found;
}

/** Changes the file as nobody should, and returns what the statement returns. */
function tamper(sql: string): readonly Record<string, unknown>[] {
  const db = new DatabaseSync(join(dataDir, 'read-models.sqlite'), { timeout: 2_000 });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

const ofCollection = (name: string) => `collection = (SELECT id FROM collection WHERE name = '${name}')`;
const first = (name: string) =>
  `${ofCollection(name)} AND key = (SELECT max(key) FROM document WHERE ${ofCollection(name)})`;
const COLLECTIONS = PROJECTIONS.flatMap(({ name, collections }) =>
  collections.map((collection) => [name, collection.name] as const),
);
const LISTED = COLLECTIONS.filter(([projection, name]) => {
  const collection = PROJECTIONS.find((each) => each.name === projection)?.collections.find(
    (each) => each.name === name,
  );
  return collection?.listEntries !== undefined || collection?.due !== undefined;
});

describe('without a fault', () => {
  it.each([1e9, 20_000])('no projection differs with room for %d characters', async (maxSize) => {
    await projected();
    expect(await differences({ maxSize })).toEqual([]);
    const documents = tamper(`SELECT count(*) AS n FROM document WHERE NOT ${ofCollection('journalEntry')}`)[0]?.['n'];
    let compared = 0;
    for (const projection of PROJECTIONS) {
      const comparison = await compare(projection, { maxSize });
      if (comparison.kind === 'compared') compared += comparison.documents;
    }
    expect(compared).toBe(documents);
  });

  it('lag is none', async () => {
    await projected(EVERY_EVENT.slice(0, 120));
    await append(eventStore, EVERY_EVENT.slice(120));
    expect(await differences()).toEqual([]);
  });

  it.each([1e9, 20_000])('what is projected meanwhile is none, with room for %d characters', async (maxSize) => {
    await projected(EVERY_EVENT.slice(0, 60));
    const left = EVERY_EVENT.slice(60);
    const rest = async () => {
      const more = left.splice(0, 8);
      await append(eventStore, more);
      if (more.length > 0) await projectAll(eventStore, readStore, PROJECTIONS);
    };
    expect(await differences({ maxSize, rest })).toEqual([]);
    expect(left).toEqual([]);
  });

  it('what is rebuilt or taken over says nothing', async () => {
    await projected();
    const [payments] = PROJECTIONS;
    const fresh = { declaredVersion: payments!.declaredVersion, head: await eventStore.head(), nowMs: 0 };
    let rests = 0;
    const rest = async () => {
      rests += 1;
      if (rests === 2) await readStore.restart('payments', fresh);
    };
    expect(await compare(payments!, { rest })).toEqual({
      kind: 'not comparable',
      why: 'another version replaced it',
    });
    expect(await compare(payments!)).toEqual({ kind: 'not comparable', why: 'it is being built' });
    const other = { ...payments!, declaredVersion: 99 };
    expect(await compare(other)).toMatchObject({ why: `its declared version is ${payments!.declaredVersion}, not 99` });
    expect(await compare({ ...payments!, name: 'new' })).toMatchObject({ why: 'it has no version yet' });
  });

  it('another log, or one that ends earlier, says nothing', async () => {
    await projected();
    eventStore = new MemoryEventStore();
    await append(eventStore, EVERY_EVENT.slice(0, 100));
    expect(await compare(PROJECTIONS[0]!)).toEqual({
      kind: 'not comparable',
      why: 'its checkpoint is beyond the end of the log',
    });
  });

  it('a projection that stopped at an event is compared up to there, and one that skipped it leaves it out', async () => {
    const balances = PROJECTIONS.find(({ name }) => name === 'balances')!;
    const captured = EVERY_EVENT.findIndex(({ type }) => type === 'PaymentCaptured');
    const wrong = EVERY_EVENT.map((event, index) =>
      index === captured ? { ...event, data: event.data.replace(/"feeMinor":"\d+"/, '"feeMinor":"999999"') } : event,
    );
    await projected(wrong.slice(0, captured), [balances]);
    await projected(wrong.slice(captured), [balances]);
    expect((await readStore.versions('balances')).active?.stop).not.toBeNull();
    expect(await compare(balances)).toMatchObject({ kind: 'compared', count: 0 });
    const skipped = async () => new Set([wrong[captured]!.id]);
    const { active } = await readStore.versions('balances');
    await readStore.commit({
      ...active!,
      expected: active!.checkpoint,
      next: active!.checkpoint,
      writes: [],
      stop: null,
    });
    await projectAll(eventStore, readStore, [balances], skipped);
    expect(await compare(balances, { skipped })).toMatchObject({ kind: 'compared', count: 0 });
    expect(await compare(balances)).toMatchObject({ kind: 'not comparable' });
  });

  it('partitions are compared one by one', async () => {
    const partitions = new Partitions(3);
    const units = PROJECTIONS.flatMap((projection) => partitions.of(projection));
    await projected(EVERY_EVENT, units);
    for (const unit of units) expect(await compare(unit)).toMatchObject({ kind: 'compared', count: 0 });
    tamper(`DELETE FROM document WHERE ${first('payment')}`);
    const counts = await Promise.all(units.map((unit) => compare(unit)));
    expect(counts.reduce((sum, each) => sum + (each.kind === 'compared' ? each.count : 100), 0)).toBe(1);
  });
});

describe.each(COLLECTIONS)('in %s, of a %s', (projection, collection) => {
  const place = { projection, collection };

  it('a deleted document is found', async () => {
    await projected();
    const [row] = tamper(`DELETE FROM document WHERE ${first(collection)} RETURNING key`);
    expect(await differences({ maxSize: 40_000 })).toMatchObject([{ ...place, key: row?.['key'], kind: 'missing' }]);
  });

  it('a changed field is found', async () => {
    await projected();
    const [row] = tamper(
      `UPDATE document SET body = json_set(body, '$.merchantId', 'm9', '$.added', json('[1]')) WHERE ${first(collection)} RETURNING key, body`,
    );
    const found = await differences();
    expect(found).toContainEqual({ ...place, key: row?.['key'], kind: 'field', field: 'added', found: [1] });
    expect(found.every(({ key, kind }) => key === row?.['key'] && kind === 'field')).toBe(true);
  });

  it('a document that the log does not give is found, and one that is none', async () => {
    await projected();
    tamper(`INSERT INTO document (collection, version, key, entries, body)
      SELECT collection, version, 'forged', NULL, body FROM document WHERE ${first(collection)}`);
    const [row] = tamper(`UPDATE document SET body = '[' WHERE ${first(collection)} AND key <> 'forged' RETURNING key`);
    const found = await differences();
    expect(found).toContainEqual(expect.objectContaining({ ...place, key: 'forged', kind: 'surplus' }));
    if (row !== undefined) expect(found).toContainEqual(expect.objectContaining({ ...place, kind: 'unreadable' }));
  });
});

describe('in the trail of a collection', () => {
  const place = { projection: 'balances', collection: 'journalEntry' };

  it('an entry that is missing is found, and one that was changed', async () => {
    await projected();
    const [gone] = tamper(`DELETE FROM document WHERE ${first('journalEntry')} RETURNING key`);
    const [changed] = tamper(
      `UPDATE document SET body = json_set(body, '$.added', 1) WHERE ${first('journalEntry')} RETURNING key`,
    );
    const found = await differences({ maxSize: 40_000 });
    expect(found).toContainEqual(expect.objectContaining({ ...place, key: gone?.['key'], kind: 'missing' }));
    expect(found).toContainEqual(
      expect.objectContaining({ ...place, key: changed?.['key'], kind: 'field', field: 'added' }),
    );
    expect(new Set(found.map(({ key }) => key))).toEqual(new Set([gone?.['key'], changed?.['key']]));
  });
});

describe.each(LISTED)('in %s, of the lists of a %s', (projection, collection) => {
  it('a missing entry is found, and one that the log does not give', async () => {
    await projected();
    const [gone] = tamper(`DELETE FROM list_entry WHERE ${ofCollection(collection)}
      AND (list, "order", key) = (SELECT list, "order", key FROM list_entry WHERE ${ofCollection(collection)}
        AND key IN (SELECT key FROM document) LIMIT 1) RETURNING list, "order", key`); // prettier-ignore
    tamper(`INSERT INTO list_entry SELECT collection, version, 'forged list', '1', key FROM document
      WHERE ${first(collection)}`);
    const field = `${String(gone?.['list'])} ${String(gone?.['order'])}`;
    const found = await differences({ maxSize: 40_000 });
    expect(found).toHaveLength(2);
    expect(found).toContainEqual(
      expect.objectContaining({ projection, collection, key: gone?.['key'], kind: 'entry missing', field }),
    );
    expect(found).toContainEqual(
      expect.objectContaining({ projection, collection, kind: 'entry surplus', field: 'forged list 1' }),
    );
  });

  it('entries that were forgotten in the document are found', async () => {
    await projected();
    tamper(`UPDATE document SET entries = NULL WHERE ${ofCollection(collection)}`);
    const found = await differences();
    expect(found.length).toBeGreaterThan(0);
    expect(found.every((each) => each.collection === collection && each.kind === 'entry missing')).toBe(true);
  });
});
