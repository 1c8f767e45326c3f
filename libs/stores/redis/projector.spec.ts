import { LIST, setUp, start, stopAll } from '@app/event-sourcing/testing/projectors';
import { SystemClock } from '@app/platform/lifecycle';
import { RedisServer } from '@app/stores/testing/redis/redis-server';
import { activeOf, onceAvailable, OpenedStores, until } from '@app/stores/testing/redis/stores';
import type { RedisReadStore } from './redis-read-store';

const stores = new OpenedStores();
const clock = new SystemClock();
let server: RedisServer;

beforeEach(async () => {
  server = await RedisServer.start();
});
afterEach(async () => {
  await stopAll();
  await stores.close();
  await server.stop();
});

const versionOf = (store: RedisReadStore) => onceAvailable(() => activeOf(store, LIST.projection));

/** Projectors of several processes on one log, each with a store of its own on one Redis. */
async function projecting(processes: number) {
  const { eventStore, count } = setUp();
  const readStores = await Promise.all(Array.from({ length: processes }, () => stores.open(server.url)));
  const [readStore] = readStores as [RedisReadStore];
  const run = (declaredVersion?: number) =>
    readStores.map((each) => start({ eventStore, readStore: each, clock }, declaredVersion).observer);
  const untilTotals = (...totals: readonly (readonly [key: string, total: number])[]) =>
    until(async () => {
      const found = await onceAvailable(() => readStore.getMany(LIST, totals.map(([key]) => key))); // prettier-ignore
      return found.every((document, index) => document?.['total'] === totals[index]?.[1]);
    });
  return { readStore, count, run, untilTotals };
}

it('several projectors together keep one read model up to date', async () => {
  const { count, run, untilTotals, readStore } = await projecting(3);
  run();
  for (let n = 1; n <= 40; n += 1) await count(`counter-${n % 4}`, 1);
  await untilTotals(['counter-0', 10], ['counter-1', 10], ['counter-2', 10], ['counter-3', 10]);
  expect(await versionOf(readStore)).toMatchObject({ checkpoint: { events: 40 } });
});

it('a Redis that is emptied under idle projectors is refilled, even if nothing more is appended', async () => {
  const { count, run, untilTotals, readStore } = await projecting(2);
  await count('counter-1', 1, 2);
  const observers = run();
  await untilTotals(['counter-1', 3]);
  const before = await versionOf(readStore);
  await server.command('FLUSHALL');
  await untilTotals(['counter-1', 3]);
  expect((await versionOf(readStore))?.version).toBeGreaterThan(before?.version ?? 0);
  await until(() => observers.some(({ losses }) => losses > 0));
  await count('counter-1', 4);
  await untilTotals(['counter-1', 7]);
});

it('a Redis that restarted from an older copy is brought up to date from there', async () => {
  const { count, run, untilTotals, readStore } = await projecting(1);
  await count('counter-1', 1);
  run();
  await untilTotals(['counter-1', 1]);
  await server.command('SAVE');
  const saved = await versionOf(readStore);
  for (let n = 0; n < 5; n += 1) await count('counter-1', 1);
  await untilTotals(['counter-1', 6]);
  await stopAll();
  await server.goAway();
  await server.comeBack();
  expect(await versionOf(readStore)).toEqual(saved);

  const [observer] = run();
  await untilTotals(['counter-1', 6]);
  expect(observer?.openedAt).toMatchObject([{ version: saved?.version, checkpoint: saved?.checkpoint }]);
  expect(await versionOf(readStore)).toMatchObject({ version: saved?.version, checkpoint: { events: 6 } });
});

it('another release’s version is rebuilt beside it, and then removed', async () => {
  const { count, run, untilTotals, readStore } = await projecting(2);
  for (let n = 0; n < 10; n += 1) await count(`counter-${n}`, n);
  run(1);
  await untilTotals(['counter-9', 9]);
  const before = await versionOf(readStore);
  await stopAll();
  run(2);
  await until(async () => (await versionOf(readStore))?.declaredVersion === 2);
  await untilTotals(['counter-9', 9], ['counter-1', 1]);
  const keys = async () => String(await server.command('KEYS', `*v${before?.version}*`));
  await until(async () => (await keys()) === '');
});
