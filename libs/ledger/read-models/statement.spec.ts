import { runProjector, type StoredEvent } from '@app/event-sourcing';
import { noneSkipped, observing } from '@app/event-sourcing/testing/observer';
import { accountBooks } from '@app/ledger/testing/account-book';
import { MERCHANTS, paymentHistories } from '@app/payments/testing/histories';
import type { PaymentEvent } from '@app/payments/domain';
import { ManualClock, settle } from '@app/platform/testing/manual-clock';
import { CompleteReads } from '@app/projections/complete-reads';
import { ProjectionProgress } from '@app/projections/progress';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { MemoryReadStore } from '@app/stores/testing/memory-read-store';
import * as fc from 'fast-check';
import type { StatementPage } from './documents';
import { balancesProjection } from './projection';
import { ReadStatementQuery, type StatementPeriod } from './statement-query';
import { ReadStatementHandler } from './statement-query-handler';
import { ReadTrialBalanceQuery } from './trial-balance-query';
import { ReadTrialBalanceHandler } from './trial-balance-query-handler';

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

/** The queries on the read model of these events. */
async function booksOf(events: readonly StoredEvent<PaymentEvent>[]) {
  const [readStore, eventStore, progress] = [new MemoryReadStore(), new MemoryEventStore(), new ProjectionProgress()];
  for (const { streamId, revision, id, type, data, metadata } of events) {
    const texts = { id, type, data: JSON.stringify(data), metadata: JSON.stringify(metadata) };
    await eventStore.append(streamId, revision === 0 ? 'no-stream' : revision - 1, [texts]);
  }
  const stop = new AbortController();
  stops.push(stop);
  const advanced = progress.advanced.bind(progress);
  const observer = observing({ opened: advanced, committed: advanced });
  void runProjector(
    balancesProjection,
    { eventStore, readStore, clock: new ManualClock(), observer, skipped: noneSkipped },
    stop.signal,
  );
  await settle();
  const reads = new CompleteReads(eventStore, readStore, progress, new ManualClock(0));
  const statements = new ReadStatementHandler(reads);
  const trialBalances = new ReadTrialBalanceHandler(reads);
  const page = async (journal: string, period: StatementPeriod, after: string | null, limit: number) => {
    const [merchantId = '', currency = ''] = journal.split('|');
    const answer = await statements.execute(new ReadStatementQuery(merchantId, currency, period, after, limit));
    return answer as StatementPage;
  };
  const pages = async (journal: string, period: StatementPeriod, limit: number) => {
    const read: StatementPage[] = [];
    for (let after: string | null = null; read.length === 0 || after !== null;) {
      const next: StatementPage = await page(journal, period, after, limit);
      read.push(next);
      after = next.next;
    }
    return read;
  };
  const trialBalance = async (asOf: string | null = null) => trialBalances.execute(new ReadTrialBalanceQuery(asOf));
  return { page, pages, trialBalance };
}

const times = (events: readonly StoredEvent<PaymentEvent>[]) =>
  events.map(({ metadata }) => metadata.recordedAt).sort();
const minor = (text: string) => BigInt(text.replace('.', ''));

describe('a statement', () => {
  it('opens each page and period with what the one before it closed with, and closes with the balance', async () => {
    await fc.assert(
      fc.asyncProperty(paymentHistories, fc.integer({ min: 1, max: 5 }), fc.nat(), async (events, limit, at) => {
        const { pages } = await booksOf(events);
        const middle = times(events)[at % events.length];
        for (const [journal, { figures }] of accountBooks(events)) {
          const halves = [
            ...(await pages(journal, { to: middle }, limit)),
            ...(await pages(journal, { from: middle }, limit)),
          ];
          const whole = await pages(journal, {}, 100);
          expect(halves.flatMap(({ items }) => items)).toEqual(whole.flatMap(({ items }) => items));
          let closing = whole[0]!.opening;
          for (const part of halves) {
            expect(part.opening).toEqual(closing);
            ({ closing } = part);
          }
          expect(Object.values(closing).map(minor)).toEqual(Object.values(figures));
        }
      }),
      { numRuns: 40 },
    );
  });

  it('has entries that are numbered without gaps, each with what it changes', async () => {
    await fc.assert(
      fc.asyncProperty(paymentHistories, async (events) => {
        const { page } = await booksOf(events);
        for (const journal of accountBooks(events).keys()) {
          const { items, opening } = await page(journal, {}, null, 100);
          expect(items.map(({ number }) => number)).toEqual(items.map((_item, index) => index + 1));
          expect(items.map(({ time }) => time)).toEqual(items.map(({ time }) => time).sort());
          let before = opening;
          for (const { change, balance } of items) {
            for (const name of Object.keys(balance) as (keyof typeof balance)[]) {
              expect(minor(balance[name])).toBe(minor(before[name]) + minor(change[name]));
            }
            before = balance;
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it('is empty before anything was captured', async () => {
    const { page } = await booksOf([]);
    const none = {
      gatewayReceivable: '0',
      merchantPayable: '0',
      refundsPending: '0',
      feesEarned: '0',
      chargebacks: '0',
    };
    const empty = { currency: 'JPY', opening: none, items: [], closing: none, next: null };
    expect(await page('m1|JPY', {}, null, 20)).toEqual(empty);
    expect(await page('m1|JPY', { from: '2026-01-01T00:00:00.000Z' }, null, 20)).toEqual(empty);
  });
});

describe('the trial balance', () => {
  it('sums up all merchants, now and as of each moment, and its sides are equal', async () => {
    await fc.assert(
      fc.asyncProperty(paymentHistories, fc.nat(), async (events, at) => {
        const { trialBalance, page } = await booksOf(events);
        const moment = times(events)[at % events.length]!;
        const end = { to: `${moment}~` };
        for (const asOf of [null, moment]) {
          const expected = new Map<string, bigint[]>();
          for (const journal of accountBooks(events).keys()) {
            const currency = journal.split('|')[1]!;
            const { closing } = await page(journal, asOf === null ? {} : end, null, 100);
            const sums = Object.values(closing).map(minor);
            const known = expected.get(currency) ?? sums.map(() => 0n);
            expected.set(
              currency,
              sums.map((sum, index) => sum + known[index]!),
            );
          }
          const answer = await trialBalance(asOf);
          if (answer === 'rebuilding') throw new Error(answer);
          expect(answer.map(({ currency }) => currency)).toEqual([...expected.keys()].sort());
          for (const { currency, accounts, totalDebit, totalCredit } of answer) {
            expect(totalDebit).toBe(totalCredit);
            const signed = accounts.map(({ account, debit, credit }) =>
              account === 'gatewayReceivable' ? minor(debit) - minor(credit) : minor(credit) - minor(debit),
            );
            expect(signed).toEqual(expected.get(currency));
          }
        }
      }),
      { numRuns: 40 },
    );
    expect(MERCHANTS.length).toBeGreaterThan(1);
  });
});
