import { settle } from '@app/platform/testing';
import { isCompleteVersion } from '../read-store';
import { projection, setUp, start, stopAll } from '../testing/projectors';
import { BuildOrder } from './build-order';

afterEach(stopAll);

const [totals] = projection.collections;
const { due: _due, ...view } = totals!;
/** Projections with only views, with a to-do list and views, and with only a to-do list. */
const VIEWS = { ...projection, name: 'views', collections: [view] };
const BOTH = { ...projection, name: 'both', collections: [view, { ...totals!, name: 'list' }] };
const LIST = { ...projection, name: 'list' };
const ALL = [VIEWS, BOTH, LIST];

async function lost() {
  const parts = setUp();
  for (let n = 0; n < 8; n += 1) await parts.count('counter-1', 1);
  const eventStore = Object.create(parts.eventStore) as typeof parts.eventStore;
  eventStore.subscribe = async function* (options) {
    for await (const batch of parts.eventStore.subscribe({ ...options, maxBatch: 1 })) {
      await parts.clock.sleep(1_000, options.signal);
      yield batch;
    }
  };
  const order = new BuildOrder(parts.clock);
  const run = (what = ALL) => what.map((each) => start({ ...parts, eventStore, order }, 1, each));
  /** How many events each has processed, and whether it is complete. */
  const states = async () => {
    const versions = await Promise.all(ALL.map(({ name }) => parts.readStore.versions(name)));
    return versions.map(({ active }) => (active === null ? null : isCompleteVersion(active)));
  };
  return { ...parts, run, states };
}

it('lost projections are rebuilt in order: pure to-do lists, mixed ones, pure views', async () => {
  const { run, states, clock } = await lost();
  run();
  await clock.advance(8_500);
  expect(await states()).toEqual([false, false, true]);
  await clock.advance(9_000);
  expect(await states()).toEqual([false, true, true]);
  await clock.advance(9_000);
  expect(await states()).toEqual([true, true, true]);
});

it('no projection waits for one that has stopped or ended', async () => {
  const { run, states, clock, readStore } = await lost();
  const [list] = run([LIST]);
  await clock.advance(2_500);
  run([VIEWS]);
  await clock.advance(3_000);
  expect((await readStore.versions('views')).active).toMatchObject({ checkpoint: null });
  list!.stop.abort();
  await list!.ended;
  await clock.advance(9_500);
  expect(await states()).toEqual([true, null, false]);
});

it('a complete projection stays up to date while others are rebuilt', async () => {
  const { run, states, clock, readStore, count } = await lost();
  run([VIEWS]);
  await clock.advance(10_000);
  run([LIST]);
  await count('counter-1', 1);
  await clock.advance(1_500);
  await settle();
  expect((await states())[2]).toBe(false);
  expect((await readStore.versions('views')).active).toMatchObject({ checkpoint: { events: 9 } });
});
