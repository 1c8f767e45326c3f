import { given } from '@app/event-sourcing/testing/given-when-then';
import { MAX_REFUNDS, type PaymentCommand, paymentDecider, type PaymentEvent } from './';
import { refundableMinor, refundedMinor } from './payment';
import {
  APPROVED_WORD,
  authorization,
  captureWord,
  challenge,
  COMPLETED,
  create,
  createChallenged,
  createManual,
  DECLINED,
  DECLINED_WORD,
  expireHold,
  history,
  identity,
  MANUAL_AUTHORIZED,
  NO_FUNDS,
  PAYMENT_ID,
  recordOfIdentity,
  refundWord,
  cancelPayment,
  capturePayment,
  createRefund,
  voidWord,
} from '@app/payments/testing/payments';

const told = { merchantId: 'm1', notifyUrl: 'https://shop.test/hook', paymentId: PAYMENT_ID };
const voided: PaymentEvent = {
  type: 'PaymentVoided',
  data: {
    paymentId: PAYMENT_ID,
    transactionId: 'txn_v',
    amountMinor: '1000',
    currency: 'EUR',
    processorResponse: APPROVED_WORD,
  },
};

describe('a capture', () => {
  const held = given(paymentDecider, ...history(...MANUAL_AUTHORIZED));
  const captureOf = (amountMinor: string): PaymentEvent => ({
    type: 'PaymentCaptureRequested',
    data: {
      paymentId: PAYMENT_ID,
      transactionId: 'txn_c',
      amountMinor,
      currency: 'EUR',
      idempotency: recordOfIdentity('capture'),
    },
  });

  it('takes all that was authorized when no amount is named', () => {
    held.when(capturePayment(null)).thenEvents(captureOf('1000'));
    held.when(capturePayment(1_000n)).thenEvents(captureOf('1000'));
  });

  it('takes less when less is asked for, and the rest is released with it', () => {
    held.when(capturePayment(400n)).thenEvents(captureOf('400'));
    const captured = given(paymentDecider, ...history(...MANUAL_AUTHORIZED, capturePayment(400n), captureWord()));
    expect(captured.state).toMatchObject({ status: 'COMPLETED', amountMinor: 1_000n, capture: { amountMinor: 400n } });
    expect(refundableMinor(captured.state!)).toBe(400n);
  });

  it('is refused over the authorized amount, or in another currency', () => {
    held.when(capturePayment(1_001n)).thenRejected('CAPTURE_AMOUNT_EXCEEDED');
    held.when(capturePayment(1n, 'capture', 'content', 'USD')).thenRejected('CURRENCY_MISMATCH');
  });

  it('decides nothing when it is repeated, before and after the gateway has answered', () => {
    for (const more of [[], [captureWord()], [captureWord(DECLINED)], [captureWord(DECLINED), voidWord()]]) {
      const after = history(...MANUAL_AUTHORIZED, capturePayment(400n), ...more);
      given(paymentDecider, ...after)
        .when(capturePayment(400n))
        .thenNothing();
    }
  });

  it('is refused when its key was used for another content, and when there was one already', () => {
    const after = given(paymentDecider, ...history(...MANUAL_AUTHORIZED, capturePayment(400n)));
    after.when(capturePayment(500n, 'capture', 'another')).thenRejected('IDEMPOTENCY_KEY_REUSED');
    after.when(capturePayment(400n, 'another')).thenRejected('INVALID_STATE');
  });

  it.each([
    ['being processed', history(createManual())],
    ['captured by itself', history(create(), authorization())],
    ['complete', history(...COMPLETED)],
    ['bound to be cancelled', history(...MANUAL_AUTHORIZED, cancelPayment())],
    ['expiring', history(...MANUAL_AUTHORIZED, expireHold())],
    ['failed', history(createManual(), authorization(DECLINED))],
  ])('is refused on a payment that is %s', (_state, events) => {
    given(paymentDecider, ...events)
      .when(capturePayment(null))
      .thenRejected('INVALID_STATE');
  });
});

describe('a cancellation', () => {
  const intent: PaymentEvent = {
    type: 'PaymentCancellationRequested',
    data: { paymentId: PAYMENT_ID, reason: 'changed their mind', idempotency: recordOfIdentity('cancel') },
  };

  it.each([
    ['waits for its customer', history(createChallenged())],
    ['is being processed', history(create())],
    ['is authorized', history(...MANUAL_AUTHORIZED)],
  ])('is an intent at first while the payment %s', (_state, events) => {
    given(paymentDecider, ...events)
      .when(cancelPayment())
      .thenEvents(intent);
    const after = given(paymentDecider, ...events, intent);
    expect(after.state!.status).toBe(given(paymentDecider, ...events).state!.status);
  });

  it('of a payment that was never authorized ends it without a void', () => {
    given(paymentDecider, ...history(create(), cancelPayment()))
      .when(voidWord(false))
      .thenEvents({ type: 'PaymentCancelled', data: told });
  });

  it('of an authorization in flight records the late grant, and that it was voided', () => {
    given(paymentDecider, ...history(createManual(), cancelPayment()))
      .when(voidWord(true))
      .thenEvents(...history(...MANUAL_AUTHORIZED).slice(1), voided, { type: 'PaymentCancelled', data: told });
  });

  it('never asks for the capture of a late grant, where that would follow by itself', () => {
    const events = history(create(), cancelPayment(), voidWord(true));
    expect(events.map(({ type }) => type)).toEqual([
      'PaymentCreated',
      'PaymentCancellationRequested',
      'PaymentAuthorized',
      'PaymentVoided',
      'PaymentCancelled',
    ]);
  });

  it('of a hold voids it, once', () => {
    for (const granted of [true, false]) {
      given(paymentDecider, ...history(...MANUAL_AUTHORIZED, cancelPayment()))
        .when(voidWord(granted))
        .thenEvents(voided, { type: 'PaymentCancelled', data: told });
    }
  });

  it('decides nothing when it is repeated, before and after the end', () => {
    const intended = history(...MANUAL_AUTHORIZED, cancelPayment());
    const ended = history(...MANUAL_AUTHORIZED, cancelPayment(), voidWord());
    for (const events of [intended, ended]) {
      given(paymentDecider, ...events)
        .when(cancelPayment())
        .thenNothing();
      given(paymentDecider, ...events)
        .when(cancelPayment('cancel', 'other'))
        .thenRejected('IDEMPOTENCY_KEY_REUSED');
      given(paymentDecider, ...events)
        .when(cancelPayment('again'))
        .thenRejected('INVALID_STATE');
    }
    given(paymentDecider, ...ended)
      .when(voidWord())
      .thenNothing();
  });

  it.each([
    ['has a capture asked for', history(...MANUAL_AUTHORIZED, capturePayment(1n))],
    ['is captured by itself', history(create(), authorization())],
    ['is complete', history(...COMPLETED)],
    ['has failed', history(create(), authorization(DECLINED))],
    ['is to be failed', history(create(), authorization(), captureWord(DECLINED))],
    ['is expiring', history(createChallenged(), challenge('expired'))],
  ])('is refused once the payment %s', (_state, events) => {
    given(paymentDecider, ...events)
      .when(cancelPayment())
      .thenRejected('INVALID_STATE');
  });

  it.each([
    ['nobody asked for an end', history(...MANUAL_AUTHORIZED)],
    ['the payment is complete', history(...COMPLETED)],
    ['the payment has failed', history(create(), authorization(DECLINED))],
  ])('is not what a void means when %s', (_state, events) => {
    given(paymentDecider, ...events)
      .when(voidWord(true))
      .thenNothing();
  });
});

describe('a refund', () => {
  const complete = given(paymentDecider, ...history(...COMPLETED));
  const after = (...more: readonly PaymentCommand[]) => given(paymentDecider, ...history(...COMPLETED, ...more));

  it('reserves its amount and remembers what was asked for', () => {
    complete.when(createRefund(300n)).thenEvents({
      type: 'RefundRequested',
      data: {
        ...told,
        refundId: 'ref_r1',
        transactionId: 'txn_r1',
        amountMinor: '300',
        currency: 'EUR',
        reason: 'too small',
        referenceId: 'rma-1',
        estimatedCompletion: '2026-01-16T12:00:00.000Z',
        idempotency: recordOfIdentity('r1'),
      },
    });
    const { state } = after(createRefund(300n));
    expect([refundableMinor(state!), refundedMinor(state!), state!.status]).toEqual([700n, 0n, 'COMPLETED']);
  });

  it('is told of at its own address, else at that of the payment', () => {
    const decided = complete.when(createRefund(1n, 'r1', { notifyUrl: 'https://other.test/' })).decision;
    expect(decided).toMatchObject({ events: [{ data: { notifyUrl: 'https://other.test/' } }] });
  });

  it('may take what is left, and not a cent more, whatever is still pending', () => {
    const part = after(createRefund(300n), createRefund(600n, 'r2'), refundWord('r2'));
    part.when(createRefund(101n, 'r3')).thenRejected('REFUND_AMOUNT_EXCEEDED');
    expect(part.when(createRefund(100n, 'r3')).decision).toMatchObject({ kind: 'accepted', events: [{}] });
    complete.when(createRefund(1_001n)).thenRejected('REFUND_AMOUNT_EXCEEDED');
  });

  it('completes, or fails and gives its amount back', () => {
    const settled = { ...told, refundId: 'ref_r1', transactionId: 'txn_r1' };
    const pending = after(createRefund(1_000n));
    pending.when(refundWord('r1')).thenEvents({
      type: 'RefundCompleted',
      data: { ...settled, amountMinor: '1000', currency: 'EUR', processorResponse: APPROVED_WORD },
    });
    pending.when(refundWord('r1', DECLINED)).thenEvents({
      type: 'RefundFailed',
      data: { ...settled, amountMinor: '1000', currency: 'EUR', failure: NO_FUNDS, processorResponse: DECLINED_WORD },
    });
    expect(refundableMinor(after(createRefund(1_000n), refundWord('r1', DECLINED)).state!)).toBe(1_000n);
    expect(refundedMinor(after(createRefund(1_000n), refundWord('r1')).state!)).toBe(1_000n);
  });

  it('decides nothing when it is repeated, pending, completed or failed, even if nothing is left', () => {
    for (const more of [[], [refundWord('r1')], [refundWord('r1', DECLINED), createRefund(1_000n, 'r2')]]) {
      after(createRefund(1_000n), ...more)
        .when(createRefund(1_000n))
        .thenNothing();
    }
  });

  it('is refused when its key was used for another content', () => {
    after(createRefund(1n))
      .when(
        createRefund(2n, 'r1', {
          identity: identity('r1', 'other'),
        }),
      )
      .thenRejected('IDEMPOTENCY_KEY_REUSED');
  });

  it('is one of a hundred at most, those that failed included', () => {
    const requests = Array.from({ length: MAX_REFUNDS }, (_, n) => createRefund(1n, `r${n}`));
    const events = requests.flatMap((request): PaymentEvent[] => {
      const decision = paymentDecider.decide(request, complete.state);
      return decision.kind === 'accepted' ? [...decision.events] : [];
    });
    const failed = paymentDecider.decide(refundWord('r0', DECLINED), after(createRefund(1n, 'r0')).state);
    const word = failed.kind === 'accepted' ? failed.events : [];
    const full = given(paymentDecider, ...history(...COMPLETED), ...events, ...word);
    full.when(createRefund(1n, 'one more')).thenRejected('TOO_MANY_REFUNDS');
    full.when(createRefund(1n, 'r5')).thenNothing();
    const room = given(paymentDecider, ...history(...COMPLETED), ...events.slice(1));
    expect(room.when(createRefund(1n, 'one more')).decision).toMatchObject({ kind: 'accepted', events: [{}] });
  });

  it('is refused in another currency', () => {
    complete.when(createRefund(1n, 'r1', { currency: 'USD' })).thenRejected('CURRENCY_MISMATCH');
  });

  it.each([
    ['being processed', history(create())],
    ['authorized', history(...MANUAL_AUTHORIZED)],
    ['being captured', history(create(), authorization())],
    ['cancelled', history(create(), cancelPayment(), voidWord())],
    ['failed', history(create(), authorization(DECLINED))],
  ])('is refused on a payment that is %s', (_state, events) => {
    given(paymentDecider, ...events)
      .when(createRefund(1n))
      .thenRejected('INVALID_STATE');
  });

  it("is moved by the gateway's first word only, and by none on a refund that nobody asked for", () => {
    complete.when(refundWord('r9')).thenNothing();
    for (const first of [refundWord('r1'), refundWord('r1', DECLINED)]) {
      after(createRefund(1n), first).when(refundWord('r1')).thenNothing();
      after(createRefund(1n), first).when(refundWord('r1', DECLINED)).thenNothing();
    }
  });
});

describe('a request that an older version recorded, with a plain hash of its key', () => {
  const recordedBefore = (key: string) => ({
    keyHash: `hash of ${key}`,
    dataKeyId: 'dk_1',
    fingerprint: 'hmac of content',
  });
  const older = (...commands: readonly PaymentCommand[]) =>
    history(...commands).map((event) => {
      const data = event.data as { readonly idempotency?: object };
      return data.idempotency === undefined
        ? event
        : { ...event, data: { ...data, idempotency: recordedBefore('old') } };
    }) as readonly PaymentEvent[];

  it('is known again, and told from any other', () => {
    const captured = given(paymentDecider, ...older(...MANUAL_AUTHORIZED, capturePayment(null, 'old')));
    captured.when(capturePayment(null, 'old')).thenNothing();
    captured.when(capturePayment(null, 'other')).thenRejected('INVALID_STATE');
    const cancelled = given(paymentDecider, ...older(createManual(), cancelPayment('old')));
    cancelled.when(cancelPayment('old')).thenNothing();
    cancelled.when(cancelPayment('other')).thenRejected('INVALID_STATE');
    given(paymentDecider, ...older(create()))
      .when(create())
      .thenNothing();
  });
});
