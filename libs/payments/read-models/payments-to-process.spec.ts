import { dueAtOnce, foldDocument, type StoredEvent, type Wait } from '@app/event-sourcing';
import { nextRefundStep, nextStep, paymentDecider, type PaymentEvent, refundsOf } from '@app/payments/domain';
import {
  authorization,
  commandSequences,
  COMPLETED,
  create,
  createChallenged,
  CREATED_AT,
  scheduleRetry,
  HOLD_EXPIRES_AT,
  MANUAL_AUTHORIZED,
  PAYMENT_ID,
  play,
  createRefund,
} from '@app/payments/testing/payments';
import * as fc from 'fast-check';
import { isInquiryGroup, paymentsToProcess } from './payments-to-process';

const itemAfter = (events: readonly StoredEvent<PaymentEvent>[], key: string) =>
  foldDocument(paymentsToProcess, key, events);
const waitIn = ({ waitsFromMs, dueAtMs }: Wait): Wait => ({ waitsFromMs, dueAtMs });
const dueAt = (key: string, ...commands: Parameters<typeof play>[0]) => itemAfter(play(commands).stored, key)?.dueAtMs;

describe('the payments to process', () => {
  it('hold a payment from its creation, or from the first look for its customer', () => {
    expect(dueAt(PAYMENT_ID, create())).toBe(Date.parse(CREATED_AT));
    expect(dueAt(PAYMENT_ID, createChallenged())).toBe(Date.parse(CREATED_AT) + 20_000);
  });

  it('hold a payment that its merchant captures until the hold ends', () => {
    expect(dueAt(PAYMENT_ID, ...MANUAL_AUTHORIZED)).toBe(Date.parse(HOLD_EXPIRES_AT));
  });

  it('hold a step that was put off until it falls due again', () => {
    const retry = scheduleRetry();
    expect(dueAt(PAYMENT_ID, create(), retry)).toBe(Date.parse(retry.dueAt));
  });

  it('hold a refund as an item of its own, beside its payment', () => {
    const { stored } = play([...COMPLETED, createRefund(1n)]);
    expect(itemAfter(stored, PAYMENT_ID)).toBeNull();
    const item = itemAfter(stored, 'ref_r1')!;
    expect(item).toEqual({
      paymentId: PAYMENT_ID,
      refundId: 'ref_r1',
      merchantId: 'm1',
      inquiry: false,
      ...dueAtOnce(Date.parse(CREATED_AT) + 3_000),
    });
    expect(paymentsToProcess.due!(item)).toEqual({ ...waitIn(item), group: 'm1|steps' });
  });

  it('know inquiries from all other steps, and whose they are', () => {
    const groupAfter = (key: string, ...commands: Parameters<typeof play>[0]) =>
      paymentsToProcess.due!(itemAfter(play(commands).stored, key)!)?.group;
    expect(groupAfter(PAYMENT_ID, create())).toBe('m1|steps');
    expect(groupAfter(PAYMENT_ID, create(), scheduleRetry())).toBe('m1|inquiries');
    expect(groupAfter(PAYMENT_ID, create(), scheduleRetry({ reason: 'GATEWAY_UNAVAILABLE' }))).toBe('m1|steps');
    expect(groupAfter(PAYMENT_ID, create(), scheduleRetry(), authorization())).toBe('m1|steps');
    const refund = [...COMPLETED, createRefund(1n)];
    const pending = scheduleRetry({ operation: 'REFUND', refundId: 'ref_r1', reason: 'GATEWAY_PENDING' });
    expect([groupAfter('ref_r1', ...refund), groupAfter('ref_r1', ...refund, pending)]).toEqual([
      'm1|steps',
      'm1|inquiries',
    ]);
    expect(['m1|inquiries', 'm1|steps', 'inquiries|steps'].map(isInquiryGroup)).toEqual([true, false, false]);
  });

  it('hold nothing that has come to rest', () => {
    expect(itemAfter(play(COMPLETED).stored, PAYMENT_ID)).toBeNull();
  });

  it('say of any history, at each of its moments, what the domain says: whether something is to be done, and when', () => {
    fc.assert(
      fc.property(commandSequences, (commands) => {
        for (let length = 1; length <= commands.length; length += 1) {
          const { stored, payment } = play(commands.slice(0, length));
          const step = nextStep(payment!);
          const item = itemAfter(stored, PAYMENT_ID);
          expect(item === null ? null : waitIn(item)).toEqual(step?.wait ?? null);
          expect(item?.merchantId ?? 'm1').toBe('m1');
          if (item !== null) expect(item.inquiry).toBe(step!.inquireFirst);
          for (const refund of refundsOf(payment!)) {
            const refundStep = nextRefundStep(refund);
            const refundItem = itemAfter(stored, refund.request.refundId);
            expect(refundItem === null ? null : waitIn(refundItem)).toEqual(refundStep?.wait ?? null);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('are the same when an event is seen in a decision of several', () => {
    const { stored } = play([create(), authorization()]);
    const payment = stored.reduce(paymentDecider.evolve, paymentDecider.initialState);
    expect(waitIn(itemAfter(stored, PAYMENT_ID)!)).toEqual(nextStep(payment!)!.wait);
  });
});
