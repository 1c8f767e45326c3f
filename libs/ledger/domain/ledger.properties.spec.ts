import type { PaymentEvent } from '@app/payments/domain';
import { accountBooks } from '@app/ledger/testing/account-book';
import { paymentHistories } from '@app/payments/testing/histories';
import * as fc from 'fast-check';
import { type Balances, NO_BALANCES, post, postingOf, trialBalance } from './';

const RUNS = { numRuns: 300 };

/** The balances by merchant and currency, and by currency alone, after each event. */
function eachPosition(
  events: readonly PaymentEvent[],
  look: (balances: ReadonlyMap<string, Balances>, byCurrency: ReadonlyMap<string, Balances>, count: number) => void,
): void {
  const balances = new Map<string, Balances>();
  const byCurrency = new Map<string, Balances>();
  for (const [index, event] of events.entries()) {
    const posting = postingOf(event);
    if (posting !== null) {
      const { merchantId, currency } = posting;
      const key = `${merchantId}|${currency}`;
      balances.set(key, post(balances.get(key) ?? NO_BALANCES, posting));
      byCurrency.set(currency, post(byCurrency.get(currency) ?? NO_BALANCES, posting));
    }
    look(balances, byCurrency, index + 1);
  }
}

describe('whatever happens to however many payments', () => {
  it('the accounts sum to zero, by merchant and currency and by currency, at every position', () => {
    fc.assert(
      fc.property(paymentHistories, (events) => {
        eachPosition(events, (balances, byCurrency) => {
          for (const sums of [...balances.values(), ...byCurrency.values()]) {
            expect(trialBalance(sums)).toBe(0n);
            const owed = sums.merchantPayable + sums.feesEarned + sums.refundsPending + sums.chargebacks;
            expect(owed).toBe(-sums.gatewayReceivable);
          }
        });
      }),
      RUNS,
    );
  });

  it('no account but the merchant’s is ever on its wrong side', () => {
    fc.assert(
      fc.property(paymentHistories, (events) => {
        eachPosition(events, (balances) => {
          for (const { gatewayReceivable, refundsPending, feesEarned, chargebacks } of balances.values()) {
            const areRight = refundsPending <= 0n && feesEarned <= 0n && chargebacks <= 0n;
            expect(gatewayReceivable >= 0n && areRight).toBe(true);
          }
        });
      }),
      RUNS,
    );
  });

  it('the balances are what sums of captures, refunds and disputes come to', () => {
    fc.assert(
      fc.property(paymentHistories, (events) => {
        eachPosition(events, (balances, _byCurrency, count) => {
          const books = accountBooks(events.slice(0, count));
          expect([...balances.keys()]).toEqual([...books.keys()]);
          for (const [key, sums] of balances) {
            const { gatewayReceivable, ...credits } = books.get(key)!.figures;
            expect(sums).toEqual({
              gatewayReceivable,
              merchantPayable: -credits.merchantPayable,
              refundsPending: -credits.refundsPending,
              feesEarned: -credits.feesEarned,
              chargebacks: -credits.chargebacks,
            });
          }
        });
      }),
      RUNS,
    );
  });

  it('money does move: the histories are not empty ones', () => {
    const moved = fc
      .sample(paymentHistories, { numRuns: 100, seed: 1 })
      .flatMap((events) => events.filter((event) => postingOf(event) !== null).map(({ type }) => type));
    const refunds = ['RefundRequested', 'RefundCompleted', 'RefundFailed'];
    expect(new Set(moved)).toEqual(new Set(['PaymentCaptured', ...refunds, 'DisputeOpened', 'DisputeWon']));
  });
});
