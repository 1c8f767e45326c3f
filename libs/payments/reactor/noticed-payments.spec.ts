import { refundsOf } from '@app/payments/domain';
import {
  authorization,
  COMPLETED,
  create,
  createChallenged,
  createManual,
  scheduleRetry,
  PAYMENT_ID,
} from '@app/payments/testing/payments';
import type { GatewayNotice } from '@app/gateway/notices';
import { askRefund, ProcessingEnvironment } from './testing/processing-environment';
import { approved, declined, ScriptedGateway } from './testing/scripted-gateway';

const FINISHED: GatewayNotice = { type: 'challenge-finished', paymentId: PAYMENT_ID };
const decided = (reference: string): GatewayNotice => ({
  type: 'transaction-decided',
  paymentId: PAYMENT_ID,
  reference,
});

let env: ProcessingEnvironment;
beforeEach(() => {
  env = new ProcessingEnvironment(new ScriptedGateway());
});
afterEach(() => env.stop());

/** Puts the outcome into the gateway's books without the service knowing of it. */
function decidedAtTheGateway(act: 'authorize' | 'refund', reference: string, outcome = approved): void {
  const request = { reference, gatewayReference: 'gw_1', amount: { amountMinor: 1n, currency: 'EUR' as never } };
  env.gateway.books.set(reference, { act, outcome, request });
}

describe('the notice of a finished challenge', () => {
  it('is looked into where no worker runs, and leaves the rest to whichever runs', async () => {
    await env.command(createChallenged());
    env.gateway.challenge = 'succeeded';
    await env.noticed().handle(FINISHED);
    expect(await env.types()).toEqual(['PaymentCreated', 'PaymentAuthenticated']);
    expect(env.gateway.calls.filter((call) => !call.startsWith('challengeState'))).toEqual([]);
    env.startWorker();
    await env.clock.advance(10);
    expect(await env.payment()).toMatchObject({ status: 'COMPLETED' });
  });

  it('is not believed', async () => {
    await env.command(createChallenged());
    await env.noticed().handle(FINISHED);
    expect(await env.types()).toEqual(['PaymentCreated']);
  });

  it('that comes twice at once is one look', async () => {
    await env.command(createChallenged());
    env.gateway.challenge = 'failed';
    const noticed = env.noticed();
    await Promise.all([noticed.handle(FINISHED), noticed.handle(FINISHED)]);
    expect(env.gateway.calls).toHaveLength(1);
    await noticed.handle(FINISHED);
    expect(env.gateway.calls).toHaveLength(1);
  });

  it('leaves the payment to the polling when the gateway cannot be asked', async () => {
    await env.command(createChallenged());
    env.gateway.script('challengeState', 'unavailable');
    await env.noticed().handle(FINISHED);
    expect(await env.types()).toEqual(['PaymentCreated']);
  });
});

describe('the notice of a decided transaction', () => {
  it('settles a refund that was pending', async () => {
    await env.command(...COMPLETED, askRefund(100n));
    const [refund] = refundsOf(await env.payment());
    const { refundId, transactionId } = refund!.request;
    const reason = 'GATEWAY_PENDING' as const;
    await env.command(scheduleRetry({ operation: 'REFUND', refundId, reason, attempt: 1 }));
    decidedAtTheGateway('refund', transactionId);
    await env.noticed().handle(decided(transactionId));
    expect(refundsOf(await env.payment())[0]).toMatchObject({ status: 'COMPLETED' });
    expect(env.gateway.calls).toEqual([`inquire ${transactionId}`]);
  });

  it('finds the outcome of an authorization whose answer was lost', async () => {
    await env.command(create(), scheduleRetry({ operation: 'AUTHORIZE', reason: 'OUTCOME_UNKNOWN', attempt: 1 }));
    decidedAtTheGateway('authorize', 'txn_a', declined);
    await env.noticed().handle(decided('txn_a'));
    expect(await env.payment()).toMatchObject({ status: 'FAILED' });
    expect(env.gateway.calls).toEqual(['inquire txn_a']);
  });

  it.each(['txn_c', 'txn_v', 'txn_other'])('is nothing where another outcome is waited for: %s', async (reference) => {
    await env.command(create(), scheduleRetry({ operation: 'AUTHORIZE', reason: 'OUTCOME_UNKNOWN', attempt: 1 }));
    await env.noticed().handle(decided(reference));
    expect(env.gateway.calls).toEqual([]);
  });

  it('never begins a step that the worker has not begun', async () => {
    await env.command(create());
    await env.noticed().handle(decided('txn_a'));
    expect(env.gateway.calls).toEqual([]);
  });

  it('is nothing where none is waited for, or there is no such payment', async () => {
    await env.command(createManual(), authorization());
    const noticed = env.noticed();
    await noticed.handle(decided('txn_a'));
    await noticed.handle({ ...decided('txn_a'), paymentId: 'pay_00000000000000000000000009' });
    await noticed.handle({ ...FINISHED, paymentId: 'no payment at all' });
    expect([env.gateway.calls, await env.types()]).toEqual([[], ['PaymentCreated', 'PaymentAuthorized']]);
  });
});

describe('many notices', () => {
  it('are looked into so many at a time, and the rest is left to the polling', async () => {
    const noticed = env.noticed();
    const held: (() => void)[] = [];
    env.gateway.challengeState = () => new Promise((resolve) => held.push(() => resolve('pending')));
    const paymentIds = Array.from({ length: 70 }, (_, index) => `pay_${String(index).padStart(26, '0')}`);
    for (const paymentId of paymentIds) await env.commandOn(paymentId, createChallenged({ paymentId }));
    const handled = Promise.all(paymentIds.map((paymentId) => noticed.handle({ ...FINISHED, paymentId })));
    while (held.length < 64) await new Promise((wake) => setImmediate(wake));
    for (const release of held) release();
    await handled;
    expect(held).toHaveLength(64);
  });

  it('are finished before the process stops, and none is taken after that', async () => {
    await env.command(createChallenged());
    env.gateway.challenge = 'succeeded';
    const noticed = env.noticed();
    void noticed.handle(FINISHED);
    await noticed.close();
    expect(await env.types()).toEqual(['PaymentCreated', 'PaymentAuthenticated']);
    const calls = env.gateway.calls.length;
    await noticed.handle(FINISHED);
    expect(env.gateway.calls).toHaveLength(calls);
  });
});
