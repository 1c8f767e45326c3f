import { compareProjection } from '@app/audit/comparison/compare-projection';
import type { DifferenceKind } from '@app/audit/comparison/difference';
import type { ReadStoreInspection } from '@app/event-sourcing';
import { noneSkipped } from '@app/event-sourcing/testing/observer';
import { RedisReadStore } from '@app/stores/redis';
import { Keys } from '@app/stores/redis/keys';
import { SpecClock } from '@app/stores/testing/event-log/spec-log';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { RedisServer } from '@app/stores/testing/redis/redis-server';
import { PROJECTIONS } from './projections';
import { EVERY_EVENT } from './testing/every-event';
import { append, projectAll } from './testing/projected-log';

const KEYS = new Keys('counterfoil:');

let server: RedisServer;
let eventStore: MemoryEventStore;
let inspection: ReadStoreInspection;
let version: string;

beforeAll(async () => {
  server = await RedisServer.start();
});
afterAll(() => server.stop());

beforeEach(async () => {
  eventStore = new MemoryEventStore();
  await append(eventStore, EVERY_EVENT);
  const readStore = await RedisReadStore.open({ url: server.url });
  await projectAll(eventStore, readStore, PROJECTIONS);
  version = String((await readStore.versions('payments')).active?.version);
  await readStore.close();
  inspection = await RedisReadStore.openInspection({ url: server.url });
});
afterEach(async () => {
  await inspection.close();
  await server.command('FLUSHALL');
});

/** Of `payments`: collection, key, kind. */
async function differences(maxSize = 30_000): Promise<readonly (readonly [string, string, DifferenceKind])[]> {
  const clock = new SpecClock();
  const rest = () => Promise.resolve();
  const found: (readonly [string, string, DifferenceKind])[] = [];
  for (const projection of PROJECTIONS) {
    const deps = { eventStore, inspection, clock, skipped: noneSkipped, maxSize, rest };
    const comparison = await compareProjection(projection, deps);
    if (comparison.kind === 'not comparable') throw new Error(comparison.why);
    found.push(...comparison.differences.map(({ collection, key, kind }) => [collection, key, kind] as const));
  }
  return found;
}

/** Counts every write. */
async function changes(): Promise<string | undefined> {
  return /rdb_changes_since_last_save:(\d+)/.exec(String(await server.command('INFO', 'persistence')))?.[1];
}

it('what projectors have stored is what the log gives', async () => {
  expect(await differences()).toEqual([]);
});

it('each hole is found, and nothing is changed by looking for it', async () => {
  const { documents, places, lists } = KEYS.ofCollection('payments', version, 'payment');
  const ids = ((await server.command('HKEYS', documents)) as readonly string[]).toSorted();
  const [deleted, changed, unlisted, forgotten] = ids as [string, string, string, string];
  await server.command('HDEL', documents, deleted);
  const body = JSON.parse(String(await server.command('HGET', documents, changed))) as object;
  await server.command('HSET', documents, changed, JSON.stringify({ ...body, currency: 'XXX' }));
  const members = (await server.command('ZRANGE', lists, '0', '-1')) as readonly string[];
  await server.command('ZREM', lists, members.find((member) => member.endsWith(`\0${unlisted}`)) ?? '');
  await server.command('ZADD', lists, '0', `forged\x001\0${unlisted}`);
  await server.command('HDEL', places, forgotten);
  await server.command('HSET', documents, 'forged', JSON.stringify(body));
  await server.command('HSET', documents, ids[4] ?? '', 'no JSON');
  const before = await changes();
  expect(Number(before)).toBeGreaterThan(0);
  const found = await differences();
  expect(new Set(found.map((each) => each.join(' ')))).toEqual(
    new Set([
      `payment ${deleted} missing`,
      `payment ${changed} field`,
      `payment ${unlisted} entry missing`,
      `payment ${unlisted} entry surplus`,
      `payment ${forgotten} entry missing`,
      'payment forged surplus',
      `payment ${ids[4]} unreadable`,
    ]),
  );
  expect(await changes()).toBe(before);
});
