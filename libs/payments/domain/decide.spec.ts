import { given } from '@app/event-sourcing/testing/given-when-then';
import { paymentDecider, type PaymentEvent } from './';
import {
  APPROVED,
  APPROVED_WORD,
  authorization,
  captureWord,
  challenge,
  create,
  createChallenged,
  createManual,
  DECLINED,
  DECLINED_WORD,
  scheduleRetry,
  expireHold,
  history,
  HOLD_EXPIRES_AT,
  identity,
  NO_FUNDS,
  PAYMENT_ID,
  recordOfIdentity,
  cancelPayment,
  capturePayment,
  createRefund,
  refundWord,
  voidWord,
} from '@app/payments/testing/payments';

const told = { merchantId: 'm1', notifyUrl: 'https://shop.test/hook', paymentId: PAYMENT_ID };
const money = { amountMinor: '1000', currency: 'EUR' };

const authorized = (captureMethod: 'AUTOMATIC' | 'MANUAL'): PaymentEvent => ({
  type: 'PaymentAuthorized',
  data: {
    ...told,
    transactionId: 'txn_a',
    ...money,
    processorResponse: APPROVED_WORD,
    captureMethod,
    holdExpiresAt: HOLD_EXPIRES_AT,
  },
});

describe('creating a payment', () => {
  it('records what was asked for, with the record of the request', () => {
    const command = create();
    given(paymentDecider)
      .when(command)
      .thenEvents({ type: 'PaymentCreated', data: { ...command.payment, idempotency: recordOfIdentity('create') } });
  });

  it('decides nothing when it is repeated, whatever became of the payment', () => {
    given(paymentDecider, ...history(create()))
      .when(create())
      .thenNothing();
    given(paymentDecider, ...history(create(), authorization(DECLINED)))
      .when(create())
      .thenNothing();
  });

  it('is refused when the key was used for something else', () => {
    given(paymentDecider, ...history(create()))
      .when(create({}, identity('create', 'another content')))
      .thenRejected('IDEMPOTENCY_KEY_REUSED');
  });

  it('leaves an HMAC of its key, and no plain hash', () => {
    const [created] = history(create());
    expect(created).toMatchObject({ data: { idempotency: { keyHmac: 'hmac of create' } } });
    expect(JSON.stringify(created)).not.toContain('keyHash');
  });

  it('knows the request again under an older data key', () => {
    const [fingerprint] = identity('create').fingerprints;
    const rotated = { dataKeyId: 'dk_2', keyHmac: 'another', fingerprint: 'hmac under another key' };
    given(paymentDecider, ...history(create()))
      .when(create({}, { keyHash: 'hash of create', fingerprints: [rotated, fingerprint] }))
      .thenNothing();
    given(paymentDecider, ...history(create()))
      .when(create({}, { keyHash: 'hash of create', fingerprints: [{ ...fingerprint, dataKeyId: 'dk_2' }] }))
      .thenRejected('IDEMPOTENCY_KEY_REUSED');
  });

  it.each([
    capturePayment(null),
    cancelPayment(),
    createRefund(1n),
    challenge('succeeded'),
    authorization(),
    captureWord(),
    voidWord(),
    refundWord(),
    expireHold(),
    scheduleRetry(),
  ])('has to come first: $type', (command) => {
    given(paymentDecider).when(command).thenRejected('PAYMENT_NOT_FOUND');
  });
});

describe("the gateway's word on the authorization", () => {
  it('asks for the capture at once where that follows by itself', () => {
    given(paymentDecider, ...history(create()))
      .when(authorization())
      .thenEvents(authorized('AUTOMATIC'), {
        type: 'PaymentCaptureRequested',
        data: { paymentId: PAYMENT_ID, transactionId: 'txn_c', ...money, idempotency: null },
      });
  });

  it('leaves the capture to the merchant where they want that', () => {
    given(paymentDecider, ...history(createManual()))
      .when(authorization())
      .thenEvents(authorized('MANUAL'));
  });

  it('fails the payment when it was declined', () => {
    given(paymentDecider, ...history(create()))
      .when(authorization(DECLINED))
      .thenEvents({
        type: 'PaymentFailed',
        data: { ...told, failure: NO_FUNDS, processorResponse: DECLINED_WORD },
      });
  });

  it.each([
    ['granted', history(create(), authorization())],
    ['declined', history(create(), authorization(DECLINED))],
    ['captured', history(create(), authorization(), captureWord())],
    ['waiting for the customer', history(createChallenged())],
    ['bound to be cancelled', history(create(), cancelPayment())],
    ['cancelled', history(create(), cancelPayment(), voidWord())],
  ])('decides nothing on a payment that is %s', (_state, events) => {
    given(paymentDecider, ...events)
      .when(authorization())
      .thenNothing();
    given(paymentDecider, ...events)
      .when(authorization(DECLINED))
      .thenNothing();
  });
});

describe("the gateway's word on the capture", () => {
  it('completes the payment', () => {
    given(paymentDecider, ...history(create(), authorization()))
      .when(captureWord())
      .thenEvents({
        type: 'PaymentCaptured',
        data: { ...told, transactionId: 'txn_c', ...money, feeMinor: '0', processorResponse: APPROVED_WORD },
      });
  });

  it('records the fee, and the first one only', () => {
    given(paymentDecider, ...history(create(), authorization()))
      .when(captureWord(APPROVED, 29n))
      .thenEvents({
        type: 'PaymentCaptured',
        data: { ...told, transactionId: 'txn_c', ...money, feeMinor: '29', processorResponse: APPROVED_WORD },
      });
    given(paymentDecider, ...history(create(), authorization(), captureWord(APPROVED, 29n)))
      .when(captureWord(APPROVED, 30n))
      .thenNothing();
  });

  it.each([-1n, 1_001n])('is never recorded with a fee that is no part of it (%s)', (feeMinor) => {
    const before = given(paymentDecider, ...history(create(), authorization()));
    expect(() => before.when(captureWord(APPROVED, feeMinor))).toThrow('a fee is a part of the captured amount');
  });

  it('leads over a void to a failed payment when it was refused', () => {
    const refusal = { code: 'CAPTURE_REFUSED', message: 'no' };
    const refused = { kind: 'declined', failure: refusal, processorResponse: DECLINED_WORD } as const;
    given(paymentDecider, ...history(create(), authorization()))
      .when(captureWord(refused))
      .thenEvents({
        type: 'PaymentCaptureRefused',
        data: { paymentId: PAYMENT_ID, transactionId: 'txn_c', failure: refusal, processorResponse: DECLINED_WORD },
      });
    const after = given(paymentDecider, ...history(create(), authorization(), captureWord(refused)));
    expect(after.state).toMatchObject({ phase: 'VOIDING', status: 'AUTHORIZED', pendingOutcome: { as: 'FAILED' } });
    after.when(voidWord(true)).thenEvents(
      {
        type: 'PaymentVoided',
        data: { paymentId: PAYMENT_ID, transactionId: 'txn_v', ...money, processorResponse: APPROVED_WORD },
      },
      { type: 'PaymentFailed', data: { ...told, failure: refusal, processorResponse: null } },
    );
  });

  it.each([
    ['not authorized', history(create())],
    ['authorized, but not asked to be captured', history(createManual(), authorization())],
    ['captured', history(create(), authorization(), captureWord())],
    ['refused', history(create(), authorization(), captureWord(DECLINED))],
    ['bound to be cancelled', history(createManual(), authorization(), cancelPayment())],
  ])('decides nothing on a payment that is %s', (_state, events) => {
    given(paymentDecider, ...events)
      .when(captureWord())
      .thenNothing();
    given(paymentDecider, ...events)
      .when(captureWord(DECLINED))
      .thenNothing();
  });
});

describe('the customer', () => {
  const waiting = history(createChallenged());

  it('is waited for', () => {
    expect(given(paymentDecider, ...waiting).state).toMatchObject({ phase: 'AWAITING_CUSTOMER', status: 'PROCESSING' });
  });

  it('who passed the authentication opens the way to the authorization', () => {
    given(paymentDecider, ...waiting)
      .when(challenge('succeeded'))
      .thenEvents({ type: 'PaymentAuthenticated', data: { paymentId: PAYMENT_ID } });
    const passed = history(createChallenged(), challenge('succeeded'));
    given(paymentDecider, ...passed)
      .when(authorization())
      .thenEvents(authorized('AUTOMATIC'), expect.anything());
  });

  it('who did not pass it fails the payment, without a word of the processor', () => {
    given(paymentDecider, ...waiting)
      .when(challenge('failed'))
      .thenEvents({
        type: 'PaymentFailed',
        data: {
          ...told,
          failure: { code: 'AUTHENTICATION_FAILED', message: 'The customer did not pass the authentication.' },
          processorResponse: null,
        },
      });
  });

  it('who never came lets the payment expire, once the gateway has closed it', () => {
    given(paymentDecider, ...waiting)
      .when(challenge('expired'))
      .thenEvents({ type: 'PaymentExpiryRequested', data: { paymentId: PAYMENT_ID, cause: 'CUSTOMER_TIMEOUT' } });
    const expiring = history(createChallenged(), challenge('expired'));
    given(paymentDecider, ...expiring)
      .when(voidWord())
      .thenEvents({ type: 'PaymentExpired', data: told });
  });

  it.each([
    ['has come already', history(createChallenged(), challenge('succeeded'))],
    ['has failed', history(createChallenged(), challenge('failed'))],
    ['was too late', history(createChallenged(), challenge('expired'))],
    ['was never asked', history(create())],
    ['can not change a cancellation', history(createChallenged(), cancelPayment())],
  ])('moves nothing who %s', (_state, events) => {
    for (const outcome of ['succeeded', 'failed', 'expired'] as const) {
      given(paymentDecider, ...events)
        .when(challenge(outcome))
        .thenNothing();
    }
  });
});

describe('a hold', () => {
  const held = history(createManual(), authorization());

  it('that nobody captured expires with its time, and is voided first', () => {
    given(paymentDecider, ...held)
      .when(expireHold('2026-01-22T11:59:59.999Z'))
      .thenNothing();
    given(paymentDecider, ...held)
      .when(expireHold(HOLD_EXPIRES_AT))
      .thenEvents({ type: 'PaymentExpiryRequested', data: { paymentId: PAYMENT_ID, cause: 'HOLD_TIMEOUT' } });
    const expiring = given(paymentDecider, ...history(createManual(), authorization(), expireHold()));
    expiring.when(voidWord()).thenEvents(
      {
        type: 'PaymentVoided',
        data: { paymentId: PAYMENT_ID, transactionId: 'txn_v', ...money, processorResponse: APPROVED_WORD },
      },
      { type: 'PaymentExpired', data: told },
    );
  });

  it.each([
    ['being captured', history(createManual(), authorization(), capturePayment(null))],
    ['bound to be cancelled', history(createManual(), authorization(), cancelPayment())],
    ['expiring already', history(createManual(), authorization(), expireHold())],
    ['not there', history(createManual())],
    ['captured', history(create(), authorization(), captureWord())],
  ])('does not expire while it is %s', (_state, events) => {
    given(paymentDecider, ...events)
      .when(expireHold())
      .thenNothing();
  });
});
