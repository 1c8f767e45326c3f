import type { EventMetadata } from '@app/event-sourcing';
import { refundOf, refundsOf } from '@app/payments/domain';
import {
  authorization,
  COMPLETED,
  create,
  createChallenged,
  createManual,
  PAYMENT_ID,
  cancelPayment,
  capturePayment,
} from '@app/payments/testing/payments';
import { ManualClock } from '@app/platform/testing';
import {
  askRefund,
  ProcessingEnvironment,
  REFUND_ID,
  SECOND_REFUND_ID,
  START_MS,
} from './testing/processing-environment';
import { approved, declined, ScriptedGateway } from './testing/scripted-gateway';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const environments: ProcessingEnvironment[] = [];

function setUp(startMs = START_MS) {
  const environment = new ProcessingEnvironment(new ScriptedGateway(), undefined, new ManualClock(startMs));
  environments.push(environment);
  return environment;
}

afterEach(async () => {
  for (const environment of environments.splice(0)) await environment.stop();
});

describe('a payment', () => {
  it('is authorized, captured and complete, each step under its own reference', async () => {
    const env = setUp();
    env.startWorker();
    await env.command(create());
    await env.clock.advance(10);
    expect(await env.types()).toEqual([
      'PaymentCreated',
      'PaymentAuthorized',
      'PaymentCaptureRequested',
      'PaymentCaptured',
    ]);
    expect(env.gateway.calls).toEqual(['authorize txn_a', 'capture txn_c']);
    const amount = { amountMinor: 1_000n, currency: 'EUR' };
    const [authorized, captured] = env.gateway.books.values();
    expect(authorized!.request).toEqual({ reference: 'txn_a', gatewayReference: 'gw_1', amount });
    expect(captured!.request).toEqual({ reference: 'txn_c', gatewayReference: 'gw_1', amount });
    const list = { projection: 'processing', collection: 'paymentsToProcess' };
    expect(await env.readStore.getMany(list, [PAYMENT_ID])).toEqual([null]);
  });

  it('carries on who asked for it first, and names the event that asked for each step', async () => {
    const env = setUp();
    env.startWorker();
    await env.command(create());
    await env.clock.advance(10);
    const recorded = await env.recorded();
    const metadata = recorded.map((event) => JSON.parse(event.metadata) as EventMetadata);
    expect(metadata.map(({ correlationId }) => correlationId)).toEqual(Array(4).fill('request-1'));
    expect(metadata.map(({ actor }) => actor)).toEqual(['merchant:m1', ...Array<string>(3).fill('worker:payments')]);
    expect(metadata.map(({ causationId }) => causationId)).toEqual([
      null,
      recorded[0]!.id,
      recorded[0]!.id,
      recorded[2]!.id,
    ]);
  });

  it('that was declined has failed, in words for the merchant', async () => {
    const env = setUp();
    env.gateway.script('authorize', { answers: declined });
    env.startWorker();
    await env.command(create());
    await env.clock.advance(10);
    expect(await env.payment()).toMatchObject({
      status: 'FAILED',
      failure: { code: 'INSUFFICIENT_FUNDS', message: 'The account has not enough funds.' },
    });
    expect(JSON.parse((await env.recorded()).at(-1)!.data)).toMatchObject({ processorResponse: { code: '51' } });
    expect(env.gateway.calls).toEqual(['authorize txn_a']);
  });

  it('whose capture is refused is voided, and has failed', async () => {
    const env = setUp();
    const refusal = {
      kind: 'declined',
      code: 'CAPTURE_REFUSED',
      processorResponse: { code: '57', message: 'No' },
    } as const;
    env.gateway.script('capture', { answers: refusal });
    env.startWorker();
    await env.command(create());
    await env.clock.advance(10);
    expect(await env.payment()).toMatchObject({ status: 'FAILED', failure: { code: 'CAPTURE_REFUSED' } });
    expect(await env.types()).toContain('PaymentVoided');
    expect([env.gateway.count('void'), env.gateway.count('capture')]).toEqual([1, 0]);
  });

  it('that its merchant captures waits for them, and takes what they ask for', async () => {
    const env = setUp();
    env.startWorker();
    await env.command(createManual());
    await env.clock.advance(HOUR);
    expect(await env.payment()).toMatchObject({ status: 'AUTHORIZED' });
    await env.command(capturePayment(400n));
    await env.clock.advance(10);
    expect(await env.payment()).toMatchObject({ status: 'COMPLETED', capture: { amountMinor: 400n } });
    expect(env.gateway.books.get('txn_c')!.request.amount.amountMinor).toBe(400n);
  });

  it('that nobody captures expires after seven days, and its hold is voided', async () => {
    const env = setUp(START_MS + 7 * 24 * HOUR - 2 * MINUTE);
    await env.command(createManual(), authorization());
    env.startWorker();
    await env.clock.advance(2 * MINUTE - 1);
    expect(await env.payment()).toMatchObject({ status: 'AUTHORIZED' });
    await env.clock.advance(1_001);
    expect(await env.payment()).toMatchObject({ status: 'EXPIRED' });
    expect(JSON.parse((await env.recorded()).at(-2)!.data)).toMatchObject({ transactionId: 'txn_v' });
    expect(env.gateway.count('void')).toBe(1);
  });

  it('is worked on once, however many workers there are', async () => {
    const env = setUp();
    for (let count = 0; count < 3; count += 1) env.startWorker();
    await env.command(create());
    await env.clock.advance(10);
    expect(env.gateway.calls).toEqual(['authorize txn_a', 'capture txn_c']);
    expect(await env.payment()).toMatchObject({ status: 'COMPLETED' });
  });
});

describe('a customer', () => {
  it('is looked for now and then; what they did counts at the next look', async () => {
    const env = setUp();
    env.startWorker();
    await env.command(createChallenged());
    await env.clock.advance(19_000);
    expect(env.gateway.calls).toEqual([]);
    await env.clock.advance(1_500);
    expect(env.gateway.calls).toEqual(['challengeState gw_1']);
    env.gateway.challenge = 'succeeded';
    await env.clock.advance(MINUTE);
    expect(env.gateway.calls.slice(1)).toEqual(['challengeState gw_1', 'authorize txn_a', 'capture txn_c']);
    expect(await env.payment()).toMatchObject({ status: 'COMPLETED' });
  });

  it('who fails has failed the payment', async () => {
    const env = setUp();
    env.gateway.challenge = 'failed';
    env.startWorker();
    await env.command(createChallenged());
    await env.clock.advance(21_000);
    expect(await env.payment()).toMatchObject({ status: 'FAILED', failure: { code: 'AUTHENTICATION_FAILED' } });
    expect(env.gateway.count('authorize')).toBe(0);
  });

  it('who never comes lets it expire after thirty minutes, not before, and the registration is closed', async () => {
    const env = setUp();
    env.startWorker();
    await env.command(createChallenged());
    await env.clock.advance(30 * MINUTE - 1);
    expect(await env.payment()).toMatchObject({ phase: 'AWAITING_CUSTOMER' });
    await env.clock.advance(1_001);
    expect(await env.payment()).toMatchObject({ status: 'EXPIRED' });
    expect(await env.types()).not.toContain('PaymentVoided');
    expect(env.gateway.calls.slice(-3)).toEqual(['challengeState gw_1', 'void txn_v', 'inquire txn_a']);
  });

  it('who was done in time is not too late because nobody told us', async () => {
    const env = setUp();
    await env.command(createChallenged());
    env.gateway.challenge = 'succeeded';
    await env.clock.advance(2 * HOUR);
    env.startWorker();
    await env.clock.advance(1_000);
    expect(await env.payment()).toMatchObject({ status: 'COMPLETED' });
  });

  it('is waited for beyond the time while the gateway can not be asked, with growing pauses', async () => {
    const env = setUp();
    env.startWorker();
    await env.command(createChallenged());
    await env.clock.advance(29 * MINUTE);
    const before = env.gateway.calls.length;
    env.gateway.script('challengeState', ...Array<'unavailable'>(3).fill('unavailable'));
    await env.clock.advance(MINUTE + 10_000);
    expect(env.gateway.calls.length - before).toBe(1);
    expect(await env.payment()).toMatchObject({ phase: 'AWAITING_CUSTOMER' });
    await env.clock.advance(HOUR);
    expect(await env.payment()).toMatchObject({ status: 'EXPIRED' });
  });

  it('who is said to be done is looked for at once', async () => {
    const env = setUp();
    env.startWorker();
    await env.command(createChallenged());
    await env.customerFinished();
    expect(await env.types()).toEqual(['PaymentCreated']);
    env.gateway.challenge = 'succeeded';
    await env.customerFinished();
    await env.clock.advance(10);
    expect(await env.payment()).toMatchObject({ status: 'COMPLETED' });
    const calls = env.gateway.calls.length;
    await env.customerFinished();
    await env.customerFinished('pay_00000000000000000000000009');
    expect(env.gateway.calls).toHaveLength(calls);
  });
});

describe('a cancellation', () => {
  it('of a payment that was never authorized closes it at the gateway', async () => {
    const env = setUp();
    await env.command(create(), cancelPayment());
    env.startWorker();
    await env.clock.advance(10);
    expect(await env.payment()).toMatchObject({ status: 'CANCELLED' });
    expect(await env.types()).not.toContain('PaymentVoided');
    expect(env.gateway.calls).toEqual(['void txn_v', 'inquire txn_a']);
  });

  it('that comes while the authorization is in flight finds the grant, and voids it', async () => {
    const env = setUp();
    env.gateway.script('authorize', 'hangs');
    env.startWorker();
    await env.command(create());
    await env.clock.advance(1_000);
    await env.command(cancelPayment());
    await env.clock.advance(8_000);
    expect(await env.payment()).toMatchObject({ status: 'CANCELLED' });
    expect((await env.types()).slice(-3)).toEqual(['PaymentAuthorized', 'PaymentVoided', 'PaymentCancelled']);
    expect([env.gateway.count('authorize'), env.gateway.count('void'), env.gateway.count('capture')]).toEqual([
      1, 1, 0,
    ]);
  });

  it('is asked for again while the gateway is away, under the one reference', async () => {
    const env = setUp();
    await env.command(createManual(), authorization(), cancelPayment());
    env.gateway.script('void', 'unavailable', 'answer-lost');
    env.startWorker();
    await env.clock.advance(MINUTE);
    expect(await env.payment()).toMatchObject({ status: 'CANCELLED' });
    expect(new Set(env.gateway.calls.filter((call) => call.startsWith('void')))).toEqual(new Set(['void txn_v']));
  });

  it('that the gateway refuses to carry out is tried again, and loudly', async () => {
    const env = setUp();
    await env.command(createManual(), authorization(), cancelPayment());
    env.gateway.script('void', { answers: declined });
    env.startWorker();
    await env.clock.advance(1_000);
    expect(await env.payment()).toMatchObject({ status: 'AUTHORIZED', retry: { operation: 'VOID', attempt: 1 } });
    expect(env.logger.records).toContainEqual(
      expect.objectContaining({ level: 'error', fields: { paymentId: PAYMENT_ID } }),
    );
  });
});

describe('a refund', () => {
  it('is made under its own reference, and completes', async () => {
    const env = setUp();
    env.startWorker();
    await env.command(...COMPLETED, askRefund(300n), askRefund(200n, SECOND_REFUND_ID, 'r2'));
    await env.clock.advance(10);
    expect(refundsOf(await env.payment())).toMatchObject([{ status: 'COMPLETED' }, { status: 'COMPLETED' }]);
    expect(env.gateway.books.get('txn_r1')!.request.amount.amountMinor).toBe(300n);
    expect(env.gateway.books.get('txn_r2')!.request.amount.amountMinor).toBe(200n);
  });

  it('that the gateway refuses has failed', async () => {
    const env = setUp();
    env.gateway.script('refund', { answers: declined });
    env.startWorker();
    await env.command(...COMPLETED, askRefund(300n));
    await env.clock.advance(10);
    expect(refundOf(await env.payment(), REFUND_ID)).toMatchObject({
      status: 'FAILED',
      failure: { code: 'INSUFFICIENT_FUNDS' },
    });
  });

  it('that stays pending there is inquired about until it is decided', async () => {
    const env = setUp();
    env.gateway.script('refund', { answers: { kind: 'pending' } });
    env.startWorker();
    await env.command(...COMPLETED, askRefund(300n));
    await env.clock.advance(5_000);
    expect(refundOf(await env.payment(), REFUND_ID)).toMatchObject({ status: 'PENDING' });
    env.gateway.books.get('txn_r1')!.outcome = approved;
    await env.clock.advance(15_000);
    expect(refundOf(await env.payment(), REFUND_ID)).toMatchObject({ status: 'COMPLETED' });
    expect(env.gateway.calls.filter((call) => call === 'refund txn_r1')).toHaveLength(1);
  });

  it('whose answer is lost is inquired about, and made once', async () => {
    const env = setUp();
    env.gateway.script('refund', 'answer-lost');
    await env.command(...COMPLETED, askRefund(300n));
    env.startWorker();
    await env.clock.advance(2_000);
    expect(refundOf(await env.payment(), REFUND_ID)).toMatchObject({ status: 'COMPLETED' });
    expect(env.gateway.calls).toEqual(['refund txn_r1', 'inquire txn_r1']);
  });
});
