import type { Currency } from '@app/money';

import { outcomeOf } from './account-outcome';
import { type Challenge, openedRegistration, REGISTRATION_LIFETIME_MS, type TransactionEntry } from './entries';
import { APPROVED, declined, RESPONSES } from './processor-responses';

const DAY_MS = 24 * 60 * 60 * 1000;
const HALF_HOUR_MS = 30 * 60 * 1000;
const amount = { amountMinor: 1250n, currency: 'EUR' as Currency };
const DECLINED = declined('CARD_DECLINED', RESPONSES.doNotHonor);

type Kind = TransactionEntry['kind'];

/** [kind, granted, at] */
type Act = readonly [kind: Kind, granted: boolean, atMs: number];

function outcome(answer: Challenge['answer'], acts: readonly Act[], nowMs: number) {
  const opened = openedRegistration(1, {
    digest: 'D'.repeat(16),
    paymentId: 'pay_1',
    scenario: 'challenge-completes',
    amount,
    registeredAtMs: 0,
  });
  const { gatewayReference } = opened;
  const challenge: Challenge = {
    registrationId: 1,
    pageSecret: 'p',
    formSecret: 'f',
    publicUrl: 'http://pay.example',
    merchantName: 'Tea',
    orderId: 'order-1',
    description: null,
    cardLastFour: null,
    returnUrl: null,
    expiresAtMs: HALF_HOUR_MS,
    answer,
  };
  const transactions = acts.map(([kind, granted, recordedAtMs], index) => {
    const verdict = granted ? APPROVED : DECLINED;
    return { reference: `txn_${index}`, gatewayReference, kind, amount, recordedAtMs, verdict };
  });
  const closed = acts.some(([kind, granted]) => kind === 'VOID' && granted);
  return outcomeOf({ registration: { ...opened, closed }, challenge, transactions }, nowMs);
}

describe('what has become of a payment', () => {
  it.each<[string, Challenge['answer'], readonly Act[], number, string]>([
    ['its customer has yet to answer', null, [], 0, 'processing'],
    ['nobody answered in time', null, [], HALF_HOUR_MS, 'expired'],
    ['it was closed since nobody answered', null, [['VOID', true, HALF_HOUR_MS]], DAY_MS, 'expired'],
    ['the merchant closed it before', null, [['VOID', true, HALF_HOUR_MS - 1]], DAY_MS, 'cancelled'],
    ['its customer declined', 'failed', [], DAY_MS, 'declined'],
    ['its customer approved', 'succeeded', [], DAY_MS, 'processing'],
    ['nothing followed until it lapsed', 'succeeded', [], REGISTRATION_LIFETIME_MS, 'failed'],
    ['it was closed after the approval', 'succeeded', [['VOID', true, DAY_MS]], DAY_MS, 'cancelled'],
    ['the card was declined', 'succeeded', [['AUTHORIZATION', false, 1]], DAY_MS, 'failed'],
    ['the amount is held', 'succeeded', [['AUTHORIZATION', true, 1]], 30 * DAY_MS, 'authorized'],
  ])('where %s', (_case, answer, acts, nowMs, expected) => {
    expect(outcome(answer, acts, nowMs)).toBe(expected);
  });

  const held: Act = ['AUTHORIZATION', true, 1];
  it.each<[string, readonly Act[], string]>([
    ['captured', [['CAPTURE', true, 2]], 'completed'],
    [
      'captured, and a refund follows',
      [
        ['CAPTURE', true, 2],
        ['REFUND', true, 3],
      ],
      'completed',
    ],
    [
      'captured, and a void comes too late',
      [
        ['CAPTURE', true, 2],
        ['VOID', false, 3],
      ],
      'completed',
    ],
    ['not captured, as that was refused', [['CAPTURE', false, 2]], 'failed'],
    [
      'released after a refused capture',
      [
        ['CAPTURE', false, 2],
        ['VOID', true, 3],
      ],
      'failed',
    ],
    ['released within its seven days', [['VOID', true, 7 * DAY_MS]], 'cancelled'],
    ['released after its seven days', [['VOID', true, 7 * DAY_MS + 1]], 'expired'],
  ])('where the held amount was %s', (_case, acts, expected) => {
    expect(outcome('succeeded', [held, ...acts], 30 * DAY_MS)).toBe(expected);
  });
});
