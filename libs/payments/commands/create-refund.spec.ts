import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { CommandHandling } from '@app/event-sourcing';
import { type PaymentCommand, paymentDecider, paymentStreamId } from '@app/payments/domain';
import { authorization, captureWord, COMPLETED, create, PAYMENT_ID } from '@app/payments/testing/payments';
import { ManualClock, SeededRandom } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { KeyRing, RequestFingerprints, SecretCipher } from '@app/keys';
import { CreateRefundCommand } from './commands';
import { CreateRefundHandler } from './create-refund.handler';
import { refundIdOf, transactionIdOf } from './ids';

const START_MS = Date.UTC(2026, 0, 15, 12);
const REFUND_ID = refundIdOf(PAYMENT_ID, 'm1', 'key-1');
const body = (value = '3.00', more: object = {}) => ({
  amount: { value, currency: 'EUR' },
  reason: 'too small',
  ...more,
});

async function setUp(commands: readonly PaymentCommand[] = COMPLETED) {
  const eventStore = new MemoryEventStore();
  const clock = new ManualClock(START_MS);
  const urls = { refusalOf: () => null };
  const startProcess = async (seed: number) => {
    const random = new SeededRandom(seed);
    const handling = new CommandHandling({ eventStore, clock, random, proofs: new SpecProofs() });
    const cipher = new SecretCipher(new Uint8Array(32), null, random);
    const keyRing = new KeyRing({ eventStore, cipher, clock, random });
    await keyRing.load();
    const fingerprints = new RequestFingerprints(keyRing);
    const handler = new CreateRefundHandler(handling, fingerprints, urls, clock);
    const refund = (request = body(), key = 'key-1', merchantId = 'm1', paymentId = PAYMENT_ID) => {
      const caller = { merchantId, merchantName: 'Shop', correlationId: 'request-1' };
      return handler.execute(new CreateRefundCommand(caller, key, paymentId, request));
    };
    return { handling, refund };
  };
  const { handling, refund } = await startProcess(1);
  const run = async (...more: readonly PaymentCommand[]) => {
    const context = { correlationId: 'request-0', causationId: null, actor: 'spec' };
    for (const command of more) await handling.handle(paymentDecider, paymentStreamId(PAYMENT_ID), command, context);
  };
  await run(...commands);
  const stored = async () =>
    (await eventStore.readStream(paymentStreamId(PAYMENT_ID))).filter(({ type }) => type === 'RefundRequested');
  return { clock, refund, run, stored, startProcess };
}

describe('creating a refund', () => {
  it("stands in the payment's stream, under ids that are derived", async () => {
    const { refund, stored } = await setUp();
    expect(await refund()).toMatchObject({
      kind: 'done',
      replayed: false,
      value: {
        requestedAt: '2026-01-15T12:00:00.000Z',
        request: {
          refundId: REFUND_ID,
          paymentId: PAYMENT_ID,
          transactionId: transactionIdOf(REFUND_ID, 'refund'),
          amountMinor: '300',
          currency: 'EUR',
          reason: 'too small',
          referenceId: null,
          notifyUrl: 'https://shop.test/hook',
          estimatedCompletion: '2026-01-16T12:00:00.000Z',
        },
      },
    });
    const [event] = await stored();
    expect(JSON.parse(event!.metadata)).toMatchObject({ actor: 'merchant:m1', correlationId: 'request-1' });
  });

  it("is refused alike for a payment that is another merchant's, missing or malformed", async () => {
    const { refund } = await setUp();
    const notFound = { kind: 'refused', code: 'PAYMENT_NOT_FOUND' };
    expect(await refund(body(), 'key-1', 'm2')).toEqual(notFound);
    expect(await refund(body(), 'key-1', 'm1', 'pay_00000000000000000000000009')).toEqual(notFound);
    expect(await refund(body(), 'key-1', 'm1', 'nonsense')).toEqual(notFound);
  });

  it('is refused with the reason that the payment gives', async () => {
    expect(await (await setUp([create()])).refund()).toMatchObject({ kind: 'refused', code: 'INVALID_STATE' });
    const { refund, stored } = await setUp();
    expect(await refund(body('10.01'))).toMatchObject({ kind: 'refused', code: 'REFUND_AMOUNT_EXCEEDED' });
    const dollars = { ...body(), amount: { value: '1.00', currency: 'USD' } };
    expect(await refund(dollars)).toMatchObject({ kind: 'refused', code: 'CURRENCY_MISMATCH' });
    expect(await refund(body('0'))).toMatchObject({ code: 'VALIDATION_FAILED', problems: [{ field: 'amount.value' }] });
    expect(await stored()).toEqual([]);
  });

  it('is told what is left as of the moment at which it was refused', async () => {
    const { startProcess, refund, clock } = await setUp();
    const other = await startProcess(2);
    const both = Promise.all([refund(body('7.50'), 'key-1'), other.refund(body('7.50'), 'key-2')]);
    await clock.advance(1_000);
    expect(await both).toContainEqual({
      kind: 'refused',
      code: 'REFUND_AMOUNT_EXCEEDED',
      message: 'At most 2.50 EUR is left to refund of this payment.',
    });
  });

  it('that was refused once may be accepted later under the same key: a refusal leaves nothing behind', async () => {
    const { refund, run } = await setUp([create(), authorization()]);
    expect(await refund()).toMatchObject({ code: 'INVALID_STATE' });
    await run(captureWord());
    expect(await refund()).toMatchObject({ kind: 'done', replayed: false });
  });
});

describe('a repeated refund', () => {
  it('is answered with the first result, also when nothing is left', async () => {
    const { refund, clock, stored } = await setUp();
    const first = await refund(body('10.00'));
    await clock.advance(60_000);
    expect(await refund(body('10.00'))).toEqual({ ...first, replayed: true });
    expect(await stored()).toHaveLength(1);
  });

  it('with another content is refused, even one that is not valid', async () => {
    const { refund } = await setUp();
    await refund();
    for (const other of [body('3.0'), body('0'), body('3.00', { referenceId: 'x' })]) {
      expect(await refund(other)).toEqual({ kind: 'refused', code: 'IDEMPOTENCY_KEY_REUSED' });
    }
  });

  it('with another key is another refund', async () => {
    const { refund, stored } = await setUp();
    await refund();
    expect(await refund(body(), 'key-2')).toMatchObject({ kind: 'done', replayed: false });
    expect(await stored()).toHaveLength(2);
  });
});

describe('refunds in parallel', () => {
  it('fifty that fit all succeed, in several processes, and not a cent more is given back', async () => {
    const { startProcess, stored, clock } = await setUp();
    const processes = [await startProcess(2), await startProcess(3), await startProcess(4)];
    const pending = Promise.all(
      Array.from({ length: 60 }, (_, index) => processes[index % 3]!.refund(body('0.20'), `key-${index}`)),
    );
    await clock.advance(5_000);
    const outcomes = await pending;
    expect(outcomes.filter(({ kind }) => kind === 'done')).toHaveLength(50);
    expect(
      outcomes.filter((outcome) => outcome.kind === 'refused' && outcome.code === 'REFUND_AMOUNT_EXCEEDED'),
    ).toHaveLength(10);
    expect(await stored()).toHaveLength(50);
  });

  it('with one key make one refund and get one answer', async () => {
    const { startProcess, stored, clock } = await setUp();
    const processes = [await startProcess(2), await startProcess(3)];
    const pending = Promise.all(Array.from({ length: 10 }, (_, index) => processes[index % 2]!.refund()));
    await clock.advance(1_000);
    const outcomes = await pending;
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome.kind === 'done' && outcome.value))).size).toBe(1);
    expect(outcomes.filter((outcome) => outcome.kind === 'done' && !outcome.replayed)).toHaveLength(1);
    expect(await stored()).toHaveLength(1);
  });
});
