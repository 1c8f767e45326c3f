import {
  APPROVED_WORD,
  authorization,
  captureWord,
  challenge,
  commandSequences,
  COMPLETED,
  create,
  createChallenged,
  createManual,
  DECLINED,
  expireHold,
  MANUAL_AUTHORIZED,
  NO_FUNDS,
  PAYMENT_ID,
  play,
  refundSequences,
  refundWord,
  cancelPayment,
  capturePayment,
  createRefund,
  voidWord,
} from '@app/payments/testing/payments';
import * as fc from 'fast-check';
import {
  isToldFromAnyLaterState,
  type PaymentCommand,
  paymentDecider,
  type PaymentEvent,
  publicEventsOf as toldByStream,
  publicEventType,
  refundOf,
  toPublicEvent,
  toRefundResource,
} from './';

/** The public events of a history, each built from the state right after it. */
function publicEventsOf(...commands: readonly PaymentCommand[]) {
  const { stored } = play(commands);
  return stored.flatMap((event, index) => {
    const payment = stored.slice(0, index + 1).reduce(paymentDecider.evolve, paymentDecider.initialState);
    return toPublicEvent(event, payment!) ?? [];
  });
}

const facts = { paymentId: PAYMENT_ID, merchantId: 'm1', orderId: 'order-1' };
const amount = { value: '10.00', currency: 'EUR' };

describe('what merchants are told', () => {
  it('of a refund is told alike by every later state, and of all in one go as one by one', () => {
    fc.assert(
      fc.property(fc.oneof(refundSequences, commandSequences), (commands) => {
        const { stored } = play(commands);
        const states = stored.map((_, index) =>
          stored.slice(0, index + 1).reduce(paymentDecider.evolve, paymentDecider.initialState),
        );
        const oneByOne = stored.flatMap((event, index) => toPublicEvent(event, states[index]!) ?? []);
        expect([...toldByStream(stored).values()]).toEqual(oneByOne);
        for (const [index, event] of stored.entries()) {
          const told = toPublicEvent(event, states[index]!);
          if (!isToldFromAnyLaterState(event)) continue;
          for (const later of states.slice(index)) expect(toPublicEvent(event, later!)).toEqual(told);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('of a completed payment is exactly what the interface says', () => {
    expect(publicEventsOf(...COMPLETED)).toEqual([
      {
        eventId: 'evt_00000000008008000000000003',
        eventType: 'payment.completed',
        timestamp: '2026-01-15T12:00:02.000Z',
        data: { ...facts, status: 'COMPLETED', amount, completedAt: '2026-01-15T12:00:02.000Z' },
      },
    ]);
  });

  it('as the amount is what was captured', () => {
    const [, completed] = publicEventsOf(...MANUAL_AUTHORIZED, capturePayment(405n), captureWord());
    expect(completed).toMatchObject({ data: { amount: { value: '4.05', currency: 'EUR' } } });
  });

  it('of an authorization is told where the merchant captures', () => {
    expect(publicEventsOf(...MANUAL_AUTHORIZED)).toMatchObject([
      {
        eventType: 'payment.authorized',
        data: { ...facts, status: 'AUTHORIZED', amount, authorizedAt: '2026-01-15T12:00:01.000Z' },
      },
    ]);
    expect(publicEventsOf(create(), authorization())).toEqual([]);
  });

  it.each<[string, readonly PaymentCommand[], object]>([
    [
      'payment.failed',
      [create(), authorization(DECLINED)],
      { status: 'FAILED', failedAt: '2026-01-15T12:00:01.000Z', error: NO_FUNDS },
    ],
    [
      'payment.cancelled',
      [create(), cancelPayment(), voidWord(true)],
      { status: 'CANCELLED', cancelledAt: '2026-01-15T12:00:02.000Z' },
    ],
    [
      'payment.expired',
      [createChallenged(), challenge('expired'), voidWord()],
      { status: 'EXPIRED', expiredAt: '2026-01-15T12:00:02.000Z' },
    ],
  ])('as %s has its own time', (eventType, commands, own) => {
    const [event, ...more] = publicEventsOf(...commands);
    expect(more).toEqual([]);
    expect(event!.eventType).toBe(eventType);
    expect(event!.data).toEqual({ ...facts, amount, ...own });
  });

  it('of a hold that expired is that it was authorized, and that it expired', () => {
    const types = publicEventsOf(createManual(), authorization(), expireHold(), voidWord()).map(
      ({ eventType }) => eventType,
    );
    expect(types).toEqual(['payment.authorized', 'payment.expired']);
  });

  it('of a refund is the refund, with whose it is', () => {
    const refund = {
      refundId: 'ref_r1',
      paymentId: PAYMENT_ID,
      amount: { value: '3.00', currency: 'EUR' },
      reason: 'too small',
      referenceId: 'rma-1',
      estimatedCompletion: '2026-01-16T12:00:00.000Z',
      merchantId: 'm1',
      orderId: 'order-1',
    };
    const [, completed] = publicEventsOf(...COMPLETED, createRefund(300n), refundWord());
    expect(completed).toMatchObject({ eventType: 'refund.completed' });
    const [createdAt, endedAt] = ['2026-01-15T12:00:03.000Z', '2026-01-15T12:00:04.000Z'];
    expect(completed!.data).toEqual({ ...refund, status: 'COMPLETED', timeline: { createdAt, completedAt: endedAt } });
    const [, failed] = publicEventsOf(...COMPLETED, createRefund(300n), refundWord('r1', DECLINED));
    expect(failed).toMatchObject({ eventType: 'refund.failed' });
    const timeline = { createdAt, failedAt: endedAt };
    expect(failed!.data).toEqual({ ...refund, status: 'FAILED', timeline, error: NO_FUNDS });
  });

  it('is told by each event alone: its type needs no history', () => {
    const { stored } = play([...COMPLETED, createRefund(1n), refundWord()]);
    expect(stored.map((event) => publicEventType(event as PaymentEvent))).toEqual([
      null,
      null,
      null,
      'payment.completed',
      null,
      'refund.completed',
    ]);
  });
});

describe('toRefundResource', () => {
  const { payment } = play([...COMPLETED, createRefund(1n, 'r1', { reason: null, referenceId: null })]);
  const refund = refundOf(payment!, 'ref_r1')!;

  it('leaves out what the merchant did not say', () => {
    expect(toRefundResource(refund)).toEqual({
      refundId: 'ref_r1',
      paymentId: PAYMENT_ID,
      status: 'PENDING',
      amount: { value: '0.01', currency: 'EUR' },
      estimatedCompletion: '2026-01-16T12:00:00.000Z',
      timeline: { createdAt: '2026-01-15T12:00:03.000Z' },
    });
  });

  it("shows nothing of the processor's words", () => {
    const settled = play([...COMPLETED, createRefund(1n), refundWord()]);
    const completed = refundOf(settled.payment!, 'ref_r1')!;
    expect(JSON.stringify(toRefundResource(completed, completed))).not.toContain(APPROVED_WORD.message);
  });
});
