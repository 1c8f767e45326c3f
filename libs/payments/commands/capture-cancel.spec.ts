import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { CommandHandling } from '@app/event-sourcing';
import { type PaymentCommand, paymentDecider, paymentStreamId } from '@app/payments/domain';
import {
  authorization,
  captureWord,
  COMPLETED,
  create,
  createManual,
  MANUAL_AUTHORIZED,
  PAYMENT_ID,
  capturePayment,
  voidWord,
} from '@app/payments/testing/payments';
import { ManualClock, SeededRandom } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { KeyRing, RequestFingerprints, SecretCipher } from '@app/keys';
import { CancelPaymentHandler } from './cancel-payment.handler';
import { CapturePaymentHandler } from './capture-payment.handler';
import { CancelPaymentCommand, CapturePaymentCommand } from './commands';
import type { CapturePaymentRequest } from './requests';

const euros = (value: string): CapturePaymentRequest => ({ amount: { value, currency: 'EUR' } });
const done = (revision: number, replayed = false) => ({
  kind: 'done',
  value: { paymentId: PAYMENT_ID, revision },
  replayed,
});
const refused = (code: string) => ({ kind: 'refused', code });

async function setUp(commands: readonly PaymentCommand[]) {
  const eventStore = new MemoryEventStore();
  const clock = new ManualClock(Date.UTC(2026, 0, 15, 12));
  const startProcess = async (seed: number) => {
    const random = new SeededRandom(seed);
    const handling = new CommandHandling({ eventStore, clock, random, proofs: new SpecProofs() });
    const cipher = new SecretCipher(new Uint8Array(32), null, random);
    const keyRing = new KeyRing({ eventStore, cipher, clock, random });
    await keyRing.load();
    const fingerprints = new RequestFingerprints(keyRing);
    const captures = new CapturePaymentHandler(handling, fingerprints);
    const cancellations = new CancelPaymentHandler(handling, fingerprints);
    const caller = (merchantId: string) => ({ merchantId, merchantName: 'Shop', correlationId: 'request-1' });
    const capture = (request: CapturePaymentRequest = {}, key = 'key-1', paymentId = PAYMENT_ID, merchantId = 'm1') =>
      captures.execute(new CapturePaymentCommand(caller(merchantId), key, paymentId, request));
    const cancel = (request: { reason?: string } = {}, key = 'key-1', paymentId = PAYMENT_ID, merchantId = 'm1') =>
      cancellations.execute(new CancelPaymentCommand(caller(merchantId), key, paymentId, request));
    return { handling, capture, cancel };
  };
  const { handling, capture, cancel } = await startProcess(1);
  const run = async (...more: readonly PaymentCommand[]) => {
    const context = { correlationId: 'request-0', causationId: null, actor: 'spec' };
    for (const command of more) await handling.handle(paymentDecider, paymentStreamId(PAYMENT_ID), command, context);
  };
  await run(...commands);
  const last = async () => {
    const { type, data, metadata } = (await eventStore.readStream(paymentStreamId(PAYMENT_ID))).at(-1)!;
    return { type, data: JSON.parse(data) as unknown, metadata: JSON.parse(metadata) as unknown };
  };
  return { clock, run, last, capture, cancel, startProcess };
}

describe('capturing', () => {
  it('records the request in the stream of the payment, with who asked', async () => {
    const { capture, last } = await setUp(MANUAL_AUTHORIZED);
    expect(await capture(euros('4'))).toEqual(done(2));
    expect(await last()).toMatchObject({
      type: 'PaymentCaptureRequested',
      data: { paymentId: PAYMENT_ID, transactionId: 'txn_c', amountMinor: '400', currency: 'EUR', idempotency: {} },
      metadata: { correlationId: 'request-1', causationId: null, actor: 'merchant:m1' },
    });
  });

  it('takes what was authorized when no amount is given', async () => {
    const { capture, last } = await setUp(MANUAL_AUTHORIZED);
    await capture();
    expect(await last()).toMatchObject({ data: { amountMinor: '1000' } });
  });

  it.each([
    ['more than was authorized', euros('10.01'), 'CAPTURE_AMOUNT_EXCEEDED'],
    ['another currency', { amount: { value: '1', currency: 'USD' } }, 'CURRENCY_MISMATCH'],
  ])('refuses %s', async (_what, request, code) => {
    const { capture, last } = await setUp(MANUAL_AUTHORIZED);
    expect(await capture(request)).toMatchObject(refused(code));
    expect(await last()).toMatchObject({ type: 'PaymentAuthorized' });
  });

  it.each([
    ['0', 'EUR', 'amount.value', 'INVALID_AMOUNT'],
    ['1.001', 'EUR', 'amount.value', 'INVALID_AMOUNT'],
    ['1', 'XXX', 'amount.currency', 'CURRENCY_NOT_SUPPORTED'],
  ])('refuses the amount %s %s', async (value, currency, field, code) => {
    const { capture } = await setUp(MANUAL_AUTHORIZED);
    expect(await capture({ amount: { value, currency } })).toMatchObject({
      code: 'VALIDATION_FAILED',
      problems: [{ field, code }],
    });
  });

  it.each([
    ['is being authorized', [createManual()]],
    ['captures by itself', [create(), authorization()]],
    ['is complete', COMPLETED],
    ['was asked for already, by another request', [...MANUAL_AUTHORIZED, capturePayment(null, 'other')]],
  ])('refuses a payment that %s', async (_state, commands) => {
    const { capture } = await setUp(commands);
    expect(await capture()).toMatchObject(refused('INVALID_STATE'));
  });
});

describe('cancelling', () => {
  it('records the intent, with its reason', async () => {
    const { cancel, last } = await setUp([create()]);
    expect(await cancel({ reason: 'out of stock' })).toEqual(done(1));
    expect(await last()).toMatchObject({
      type: 'PaymentCancellationRequested',
      data: { paymentId: PAYMENT_ID, reason: 'out of stock', idempotency: {} },
      metadata: { correlationId: 'request-1', actor: 'merchant:m1' },
    });
  });

  it('needs no reason, and takes no card number for one', async () => {
    const { cancel, last } = await setUp([create()]);
    expect(await cancel({ reason: 'card 4111 1111 1111 1111' })).toMatchObject({
      code: 'VALIDATION_FAILED',
      problems: [{ field: 'reason', code: 'CARD_DATA_NOT_ALLOWED' }],
    });
    expect(await last()).toMatchObject({ type: 'PaymentCreated' });
    expect(await cancel()).toEqual(done(1));
    expect(await last()).toMatchObject({ data: { reason: null } });
  });

  it.each([
    ['whose capture was asked for', [...MANUAL_AUTHORIZED, capturePayment(null, 'other')]],
    ['that captures by itself', [create(), authorization()]],
    ['that is complete', COMPLETED],
  ])('refuses a payment %s', async (_state, commands) => {
    const { cancel } = await setUp(commands);
    expect(await cancel()).toMatchObject(refused('INVALID_STATE'));
  });

  it.each([
    ['capture', 'cancel'],
    ['cancel', 'capture'],
  ] as const)('loses or wins against the other at once: of %s and %s one stands', async (first, second) => {
    const { startProcess, clock } = await setUp(MANUAL_AUTHORIZED);
    const [one, other] = [await startProcess(2), await startProcess(3)];
    const both = Promise.all([one[first](), other[second]()]);
    // The loser of the race for the stream retries after a pause.
    await clock.advance(1_000);
    const outcomes = (await both).map((outcome) => (outcome.kind === 'done' ? 'done' : outcome.code));
    expect(outcomes.sort()).toEqual(['INVALID_STATE', 'done']);
  });
});

describe.each([
  ['a capture', 'capture', [capturePayment(null, 'later'), captureWord()], MANUAL_AUTHORIZED, 2],
  ['a cancellation', 'cancel', [voidWord()], MANUAL_AUTHORIZED, 2],
] as const)('the key of %s', (_name, act, after, before, revision) => {
  it('gives the first result again, also once the payment has ended, and in another process', async () => {
    const it = await setUp(before);
    expect(await it[act]()).toEqual(done(revision));
    await it.run(...after);
    expect(await it[act]()).toEqual(done(revision, true));
    expect(await (await it.startProcess(7))[act]()).toEqual(done(revision, true));
    expect(await it[act]({}, 'key-2')).toMatchObject(refused('INVALID_STATE'));
  });

  it('can not be used for other content, however wrong that is', async () => {
    const it = await setUp(before);
    await it[act]();
    const other = act === 'capture' ? await it.capture(euros('0')) : await it.cancel({ reason: '4111111111111111' });
    expect(other).toEqual(refused('IDEMPOTENCY_KEY_REUSED'));
  });

  it("holds no spelling of the payment's card number, of which an HMAC alone would be kept", async () => {
    const it = await setUp(before);
    for (const key of ['4111111111111111', '941111111111111119', '4111x1111x1111x1111']) {
      expect(await it[act]({}, key)).toEqual(refused('IDEMPOTENCY_KEY_INVALID'));
    }
    expect(await it[act]({}, '4242424242424242')).toEqual(done(revision));
  });

  it('is one result for many requests at once', async () => {
    const it = await setUp(before);
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => it[act]()));
    expect(outcomes.map((outcome) => outcome.kind === 'done' && outcome.value.revision)).toEqual(
      Array(10).fill(revision),
    );
    expect(outcomes.filter((outcome) => outcome.kind === 'done' && !outcome.replayed)).toHaveLength(1);
  });

  it('means nothing to another merchant, nor for a payment that is none', async () => {
    const it = await setUp(before);
    expect(await it[act]({}, 'key-1', PAYMENT_ID, 'm2')).toEqual(refused('PAYMENT_NOT_FOUND'));
    for (const id of ['pay_00000000000000000000000002', 'x']) {
      expect(await it[act]({}, 'key-1', id)).toEqual(refused('PAYMENT_NOT_FOUND'));
    }
  });
});

it('keeps the keys of the two operations apart', async () => {
  const { capture, cancel } = await setUp(MANUAL_AUTHORIZED);
  expect(await cancel()).toEqual(done(2));
  expect(await capture()).toMatchObject(refused('INVALID_STATE'));
});
