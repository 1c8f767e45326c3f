import { ReadStoreUnavailableError } from '@app/event-sourcing';
import { startProcess } from '@app/merchants/testing/merchant-process';
import { ManualClock } from '@app/platform/testing/manual-clock';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { MemoryReadStore } from '@app/stores/testing/memory-read-store';
import { TokenUses } from './token-uses';

const [A, B] = ['tok_a', 'tok_b'];

/** Two processes that share a read store, at 2030-01-01T00:00:00Z. */
function startTwo(readStore = new MemoryReadStore()) {
  const clock = new ManualClock();
  const eventStore = new MemoryEventStore();
  const [one, other] = [1, 2].map((seed) => {
    const { directory } = startProcess(eventStore, seed, clock);
    return { directory, uses: new TokenUses(directory, readStore, clock) };
  });
  return { clock, readStore, one: one!, other: other! };
}

const told = async ({ uses }: { readonly uses: TokenUses }) => {
  const { since, lastUsedAt } = await uses.of([A, B]);
  return [since, lastUsedAt.get(A) ?? null, lastUsedAt.get(B) ?? null];
};
const at = (time: string) => `2030-01-01T${time}:00.000Z`;

it('are told to the minute, at once by the process that saw them, and by others once they are kept', async () => {
  const { clock, one, other } = startTwo();
  expect(await told(one)).toEqual([at('00:00'), null, null]);
  await clock.advance(90_000);
  one.directory.noteUse(A);
  expect(await told(one)).toEqual([at('00:00'), at('00:01'), null]);
  expect(await told(other)).toEqual([at('00:00'), null, null]);
  await one.uses.keep();
  expect(await told(other)).toEqual([at('00:00'), at('00:01'), null]);
});

it('are kept every minute, and when the process ends', async () => {
  const { clock, one, other } = startTwo();
  await one.uses.keep();
  const stop = new AbortController();
  const running = one.uses.run(stop.signal);
  one.directory.noteUse(A);
  await clock.advance(60_000);
  expect((await told(other))[1]).toBe(at('00:00'));
  await clock.advance(30_000);
  one.directory.noteUse(B);
  stop.abort();
  await running;
  expect((await told(other))[2]).toBe(at('00:01'));
});

it('never go back, whoever writes last', async () => {
  const { clock, one, other } = startTwo();
  one.directory.noteUse(A);
  await clock.advance(120_000);
  other.directory.noteUse(A);
  await other.uses.keep();
  expect((await told(one))[1]).toBe(at('00:02'));
  await one.uses.keep();
  expect((await told(one))[1]).toBe(at('00:02'));
});

it('of two processes that write at once are both kept in the end', async () => {
  const { readStore, one, other } = startTwo();
  await told(one);
  one.directory.noteUse(A);
  other.directory.noteUse(B);
  await Promise.all([one.uses.keep(), other.uses.keep()]);
  // The process that was fenced still has its uses.
  await one.uses.keep();
  await other.uses.keep();
  const reader = startTwo(readStore).one;
  expect(await told(reader)).toEqual([at('00:00'), at('00:00'), at('00:00')]);
});

it('begin anew where the read store was lost, and say since when', async () => {
  const before = startTwo();
  before.one.directory.noteUse(A);
  await before.one.uses.keep();
  const { clock, one } = startTwo();
  await clock.advance(3_600_000);
  expect(await told(one)).toEqual([at('01:00'), null, null]);
});

it('are kept once the read store is back, and cost no answer while it is away', async () => {
  const store = new MemoryReadStore();
  const { one, other } = startTwo(store);
  const open = store.open.bind(store);
  const away = () => Promise.reject(new ReadStoreUnavailableError('away'));
  store.open = away;
  one.directory.noteUse(A);
  await one.uses.keep();
  expect(await told(one)).toEqual([null, at('00:00'), null]);
  store.open = open;
  await one.uses.keep();
  expect((await told(other))[1]).toBe(at('00:00'));
});
