import type { ProjectionVersion } from '@app/event-sourcing';
import { CURRENCIES } from '@app/money';
import { ManualClock } from '@app/platform/testing/manual-clock';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { MemoryReadStore } from '@app/stores/testing/memory-read-store';
import { CompleteReads } from '@app/projections/complete-reads';
import { ProjectionProgress } from '@app/projections/progress';
import { balance, type BalanceDocument } from './balance';
import { GetBalancesQuery } from './query';
import { GetBalancesHandler } from './query-handler';

/** A model that counts as complete at position 10. */
async function setUp(readStore = new MemoryReadStore()) {
  const [progress, clock] = [new ProjectionProgress(), new ManualClock(0)];
  const handler = new GetBalancesHandler(new CompleteReads(new MemoryEventStore(), readStore, progress, clock));
  let version = await readStore.open('balances', { declaredVersion: 1, head: 10n, nowMs: 1 });
  const advance = async (position: bigint, currencies: readonly string[]) => {
    const next = { position, lastEvent: null, events: 0 };
    const writes = currencies.map(writeOf);
    const { checkpoint: expected, version: number } = version;
    const commit = { projection: 'balances', version: number, declaredVersion: 1, expected, next, writes };
    expect(await readStore.commit(commit)).toBe('committed');
    version = { ...version, checkpoint: next };
    progress.advanced(version);
  };
  const restart = async (): Promise<ProjectionVersion> =>
    (version = await readStore.restart('balances', { declaredVersion: 1, head: 10n, nowMs: 1 }));
  const currencies = async () => {
    const answer = await handler.execute(new GetBalancesQuery('m1'));
    return answer === 'rebuilding' ? answer : answer.balances.map(({ currency }) => currency);
  };
  return { progress, clock, advance, restart, currencies };
}

function writeOf(currency: string) {
  const sums = {
    gatewayReceivable: '1',
    merchantPayable: '-1',
    refundsPending: '0',
    feesEarned: '0',
    chargebacks: '0',
  };
  const end = { number: 1, bookedAt: '2030-01-01T00:00:00.000Z' };
  const document: BalanceDocument = { merchantId: 'm1', currency, ...end, sums };
  return { collection: 'balance', key: `m1|${currency}`, document, listEntries: balance.listEntries!(document) };
}

describe('balances', () => {
  it('are answered in alphabetical order, were there as many as there are currencies', async () => {
    const { advance, currencies } = await setUp();
    const codes = CURRENCIES.map(({ code }) => code);
    await advance(10n, codes.toReversed());
    expect(await currencies()).toEqual(codes.toSorted());
  });

  it('are not answered before the model is opened, nor until it has once caught up', async () => {
    const { progress, advance, currencies } = await setUp();
    progress.lost('balances');
    expect(await currencies()).toBe('rebuilding');
    await advance(9n, ['EUR']);
    expect(await currencies()).toBe('rebuilding');
    await advance(10n, ['USD']);
    expect(await currencies()).toEqual(['EUR', 'USD']);
    await advance(11n, ['JPY']);
    expect(await currencies()).toEqual(['EUR', 'JPY', 'USD']);
  });

  it('are not answered from a model that this process has not opened: other code may have built it', async () => {
    const readStore = new MemoryReadStore();
    await (await setUp(readStore)).advance(10n, ['EUR']);
    const { currencies, clock } = await setUp(readStore);
    const answer = currencies();
    await clock.advance(5_000);
    expect(await answer).toBe('rebuilding');
  });

  it('are answered late by a process that was just started, once it knows that the model is whole', async () => {
    const { advance, currencies, clock } = await setUp();
    const answer = currencies();
    await clock.advance(1_000);
    await advance(10n, ['EUR']);
    expect(await answer).toEqual(['EUR']);
    expect(clock.pending).toBe(0);
  });

  it('are not answered once the model starts over, though this process has not heard of it', async () => {
    const { progress, advance, restart, currencies } = await setUp();
    await advance(10n, ['EUR', 'USD']);
    const version = await restart();
    expect(progress.isComplete('balances')).toBe(true);
    expect(await currencies()).toBe('rebuilding');
    progress.advanced(version);
    await advance(10n, ['EUR', 'USD']);
    expect(await currencies()).toEqual(['EUR', 'USD']);
  });

  it.each(['before', 'after'] as const)(
    'are not answered when the model starts over just %s it is read',
    async (moment) => {
      class RestartedReadStore extends MemoryReadStore {
        isToRestart = false;

        override async page(...args: Parameters<MemoryReadStore['page']>) {
          if (this.isToRestart && moment === 'before')
            await this.restart('balances', { declaredVersion: 1, head: null, nowMs: 1 });
          const page = await super.page(...args);
          if (this.isToRestart && moment === 'after')
            await this.restart('balances', { declaredVersion: 1, head: null, nowMs: 1 });
          return page;
        }
      }
      const readStore = new RestartedReadStore();
      const { advance, currencies } = await setUp(readStore);
      await advance(10n, ['EUR']);
      readStore.isToRestart = true;
      expect(await currencies()).toBe('rebuilding');
    },
  );
});
