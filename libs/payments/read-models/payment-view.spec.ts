import { foldDocument } from '@app/event-sourcing';
import { type PaymentCommand, paymentDecider, refundsOf, toRefundResource } from '@app/payments/domain';
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
  DECLINED_WORD,
  EXPIRES_AT,
  scheduleRetry,
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
import { propertyRuns } from '@app/platform/testing';
import * as fc from 'fast-check';
import { paymentView, shownAt } from './payment-view';
import { refundView } from './refund-view';

const at = (second: number) => `2026-01-15T12:00:0${second}.000Z`;
const viewAfter = (...commands: readonly PaymentCommand[]) =>
  foldDocument(paymentView, PAYMENT_ID, play(commands).stored)!;
const bodyAfter = (...commands: readonly PaymentCommand[]) => viewAfter(...commands).body;
const eur = (value: string) => ({ value, currency: 'EUR' });
const granted = {
  transactionId: 'txn_a',
  type: 'AUTHORIZATION',
  amount: '10.00',
  status: 'SUCCESS',
  processorResponse: APPROVED_WORD,
};
const refused = { transactionId: 'txn_a', type: 'AUTHORIZATION', amount: '10.00', status: 'FAILED' };
const released = { transactionId: 'txn_v', type: 'VOID', amount: '10.00', status: 'SUCCESS' };
const untouched = {
  paymentId: PAYMENT_ID,
  amount: eur('10.00'),
  capturedAmount: eur('0.00'),
  refundedAmount: eur('0.00'),
  merchantMetadata: { shelf: '7' },
  orderId: 'order-1',
  payer: { payerId: 'payer-1', maskedCardNumber: '411111******1111' },
  captureMethod: 'AUTOMATIC',
  riskLevel: 'LOW',
};
const nextAction = { type: '3DS_AUTHENTICATION', expiresAt: EXPIRES_AT };

describe('a payment as it is read', () => {
  it('is, once complete, exactly what the interface says, with what the contract adds', () => {
    const text = JSON.stringify(bodyAfter(...COMPLETED));
    expect(JSON.parse(text)).toEqual({
      ...untouched,
      status: 'COMPLETED',
      capturedAmount: eur('10.00'),
      timeline: { createdAt: at(0), authorizedAt: at(1), capturedAt: at(2), completedAt: at(2) },
      transactions: [granted, { transactionId: 'txn_c', type: 'CAPTURE', amount: '10.00', status: 'SUCCESS' }],
    });
    expect(Object.keys(JSON.parse(text) as object).slice(0, 5)).toEqual([
      'paymentId',
      'status',
      'amount',
      'timeline',
      'transactions',
    ]);
  });

  it('begins with an authorization that is pending', () => {
    const pending = { ...refused, status: 'PENDING' };
    expect(bodyAfter(createChallenged())).toEqual({
      ...untouched,
      status: 'PROCESSING',
      timeline: { createdAt: at(0) },
      transactions: [pending],
      nextAction,
    });
    const { nextAction: _done, ...authenticated } = bodyAfter(createChallenged());
    expect(bodyAfter(createChallenged(), challenge('succeeded'))).toEqual(authenticated);
  });

  it('shows a capture that is on its way', () => {
    expect(bodyAfter(create(), authorization())).toMatchObject({
      status: 'AUTHORIZED',
      transactions: [granted, { type: 'CAPTURE', status: 'PENDING' }],
    });
    expect(bodyAfter(createManual(), authorization())).toMatchObject({ status: 'AUTHORIZED', transactions: [granted] });
  });

  it('says what was captured where that is less', () => {
    const body = bodyAfter(createManual(), authorization(), capturePayment(405n), captureWord());
    expect(body).toMatchObject({ amount: eur('10.00'), capturedAmount: eur('4.05') });
    expect(body.transactions[1]).toEqual({
      transactionId: 'txn_c',
      type: 'CAPTURE',
      amount: '4.05',
      status: 'SUCCESS',
    });
  });

  it("says why it failed, with the processor's word on the authorization", () => {
    expect(bodyAfter(create(), authorization(DECLINED))).toEqual({
      ...untouched,
      status: 'FAILED',
      timeline: { createdAt: at(0), failedAt: at(1) },
      transactions: [{ ...refused, processorResponse: DECLINED_WORD }],
      error: NO_FUNDS,
    });
    const unauthenticated = bodyAfter(createChallenged(), challenge('failed'));
    expect(unauthenticated).toMatchObject({ error: { code: 'AUTHENTICATION_FAILED' } });
    expect(unauthenticated.transactions).toEqual([refused]);
  });

  it('that was cancelled before it was authorized has no void', () => {
    expect(bodyAfter(create(), cancelPayment(), voidWord())).toEqual({
      ...untouched,
      status: 'CANCELLED',
      timeline: { createdAt: at(0), cancelledAt: at(2) },
      transactions: [refused],
    });
  });

  it('whose authorization was granted late shows the grant and the void', () => {
    expect(bodyAfter(create(), cancelPayment(), voidWord(true))).toEqual({
      ...untouched,
      status: 'CANCELLED',
      timeline: { createdAt: at(0), authorizedAt: at(2), cancelledAt: at(2) },
      transactions: [granted, released],
    });
  });

  it('whose capture was refused shows the refusal, the void and the failure', () => {
    expect(bodyAfter(create(), authorization(), captureWord(DECLINED), voidWord())).toEqual({
      ...untouched,
      status: 'FAILED',
      timeline: { createdAt: at(0), authorizedAt: at(1), failedAt: at(3) },
      transactions: [granted, { transactionId: 'txn_c', type: 'CAPTURE', amount: '10.00', status: 'FAILED' }, released],
      error: NO_FUNDS,
    });
  });

  it('that its customer let expire says when', () => {
    expect(bodyAfter(createChallenged(), challenge('expired'), voidWord())).toMatchObject({
      status: 'EXPIRED',
      timeline: { createdAt: at(0), expiredAt: at(2) },
      transactions: [refused],
    });
  });

  it('keeps its status through refunds, and sums those that were completed', () => {
    const commands = [
      ...COMPLETED,
      createRefund(300n),
      createRefund(200n, 'r2'),
      createRefund(100n, 'r3'),
      refundWord('r1'),
      refundWord('r2', DECLINED),
    ];
    const refund = (name: string, amount: string, status: string) => ({
      transactionId: `txn_${name}`,
      type: 'REFUND',
      amount,
      status,
    });
    const body = bodyAfter(...commands);
    expect(body).toMatchObject({ status: 'COMPLETED', refundedAmount: eur('3.00'), capturedAmount: eur('10.00') });
    expect(body.transactions.slice(2)).toEqual([
      refund('r1', '3.00', 'SUCCESS'),
      refund('r2', '2.00', 'FAILED'),
      refund('r3', '1.00', 'PENDING'),
    ]);
    expect(bodyAfter(...commands, refundWord('r3'))).toMatchObject({ refundedAmount: eur('4.00') });
  });

  it.each([
    ['JPY', '1000', '1000', '0'],
    ['KWD', '1000', '1.000', '0.000'],
    ['CLF', '1000', '0.1000', '0.0000'],
  ])('writes amounts in %s with its own decimals', (currency, amountMinor, value, none) => {
    expect(bodyAfter(create({ currency, amountMinor }))).toMatchObject({
      amount: { value, currency },
      capturedAmount: { value: none, currency },
      transactions: [{ amount: value }],
    });
  });

  it('is not changed by what is none of the merchant’s business', () => {
    expect(viewAfter(create(), scheduleRetry())).toEqual({ ...viewAfter(create()), revision: 1 });
  });

  it('shows what its customer has to do for exactly as long as it waits for that', () => {
    fc.assert(
      fc.property(commandSequences, (commands) => {
        const { stored } = play(commands);
        for (const [index] of stored.entries()) {
          const told = stored.slice(0, index + 1);
          const isOpen = told.reduce(paymentDecider.evolve, null)?.phase === 'AWAITING_CUSTOMER';
          expect(foldDocument(paymentView, PAYMENT_ID, told)?.body.nextAction).toEqual(isOpen ? nextAction : undefined);
        }
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  it("shows it no longer than the customer's time lasts, though nobody has recorded its end", () => {
    const body = bodyAfter(createChallenged());
    expect(shownAt(body, '2026-01-15T12:29:59.999Z')).toBe(body);
    const { nextAction: _over, ...rest } = body;
    expect(shownAt(body, EXPIRES_AT)).toEqual(rest);
    expect(shownAt(rest, EXPIRES_AT)).toEqual(rest);
  });

  it('is told of no longer once it is damaged', () => {
    expect(paymentView.damaged?.(viewAfter(createChallenged()))).not.toHaveProperty('body.nextAction');
  });

  it('holds nothing of the gateway, the request and where the customer is sent', () => {
    const open = viewAfter(createChallenged());
    const view = viewAfter(...COMPLETED, createRefund(1n), refundWord());
    for (const hidden of ['gw_1', 'hash of', 'hmac of', 'issuer.test']) {
      expect(JSON.stringify([open, view])).not.toContain(hidden);
    }
  });

  it('is the same however often its creation is seen, and nothing without it', () => {
    const { stored } = play(COMPLETED);
    expect(paymentView.evolve(viewAfter(...COMPLETED), stored[0]!)).toEqual(viewAfter(...COMPLETED));
    expect(foldDocument(paymentView, PAYMENT_ID, stored.slice(1))).toBeNull();
  });
});

describe('a refund as it is read', () => {
  const refundAfter = (...commands: readonly PaymentCommand[]) =>
    foldDocument(
      refundView,
      'ref_r1',
      play([...COMPLETED, createRefund(300n), createRefund(1n, 'r2'), ...commands]).stored,
    );
  const pending = {
    refundId: 'ref_r1',
    paymentId: PAYMENT_ID,
    status: 'PENDING',
    amount: eur('3.00'),
    reason: 'too small',
    referenceId: 'rma-1',
    estimatedCompletion: '2026-01-16T12:00:00.000Z',
    timeline: { createdAt: at(3) },
  };

  it('is what its create was answered with until it is settled', () => {
    expect(refundAfter()).toEqual({ merchantId: 'm1', body: pending });
    const retry = scheduleRetry({ operation: 'REFUND', refundId: 'ref_r1' });
    expect(refundAfter(retry, refundWord('r2'))).toEqual(refundAfter());
  });

  it('is the same in the list of its payment, whatever happened to it', () => {
    fc.assert(
      fc.property(refundSequences, (commands) => {
        const { stored, payment } = play(commands);
        for (const refund of refundsOf(payment!)) {
          const view = foldDocument(refundView, refund.request.refundId, stored);
          expect(view?.body).toEqual(toRefundResource(refund, refund));
        }
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  it('is completed, or failed with the reason', () => {
    expect(refundAfter(refundWord())!.body).toEqual({
      ...pending,
      status: 'COMPLETED',
      timeline: { createdAt: at(3), completedAt: at(5) },
    });
    expect(refundAfter(refundWord('r1', DECLINED))!.body).toEqual({
      ...pending,
      status: 'FAILED',
      timeline: { createdAt: at(3), failedAt: at(5) },
      error: NO_FUNDS,
    });
  });
});
