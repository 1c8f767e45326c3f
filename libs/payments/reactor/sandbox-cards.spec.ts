import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, EXPIRES_AT, PAYMENT_ID } from '@app/payments/testing/payments';
import type { Currency } from '@app/money';
import { refundOf } from '@app/payments/domain';
import { SandboxBooks, SandboxGateway } from '@app/gateway';
import { SeededRandom, ManualClock } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { askRefund, ProcessingEnvironment, REFUND_ID, START_MS } from './testing/processing-environment';

const MINUTE = 60_000;
const directory = mkdtempSync(join(tmpdir(), 'sandbox-cards-'));
const cleanUps: (() => Promise<void>)[] = [];
let files = 0;

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});
afterAll(() => rmSync(directory, { recursive: true }));

/** A payment with this card, registered at the sandbox gateway like a create, and a worker for it. */
async function payWith(cardNumber: string) {
  files += 1;
  const file = join(directory, `${files}.sqlite`);
  const clock = new ManualClock(START_MS);
  const gateway = SandboxGateway.open({
    file,
    publicUrl: 'http://127.0.0.1:1',
    clock,
    random: new SeededRandom(files),
  });
  const env = new ProcessingEnvironment(gateway, new MemoryEventStore(), clock);
  const books = new SandboxBooks(file);
  cleanUps.push(async () => {
    await env.stop();
    books.close();
    await gateway.close();
  });
  const request = {
    paymentId: PAYMENT_ID,
    fingerprint: 'f',
    merchantId: 'm1',
    merchantName: 'Shop',
    orderId: 'order-1',
    amount: { amountMinor: 1_000n, currency: 'EUR' as Currency },
    card: { number: cardNumber, expiryMonth: '12', expiryYear: '2030', cvv: '737' },
    expiresAtMs: Date.parse(EXPIRES_AT),
  };
  const { gatewayReference, nextAction } = await gateway.register(request, new AbortController().signal);
  env.startWorker();
  await env.command(create({ gatewayReference, nextAction }));
  /** The customer answers on the issuer's page. */
  const answer = (decision: 'approve' | 'decline') => {
    const token = new URL(nextAction!.redirectUrl).pathname.split('/').at(-1)!;
    return gateway.challenges.answer('page', token, decision);
  };
  return { env, answer, counts: () => books.countsFor(PAYMENT_ID) };
}

describe('a payment at the sandbox gateway', () => {
  it.each(['4111111111111111', '4242424242424242', '5555555555554444', '378282246310005', '4000000000009235'])(
    'with the card %s is complete',
    async (card) => {
      const { env, counts } = await payWith(card);
      await env.clock.advance(100);
      expect(await env.payment()).toMatchObject({ status: 'COMPLETED' });
      expect(counts()).toMatchObject({
        authorizations: { count: 1, amountMinor: 1_000n },
        captures: { count: 1, amountMinor: 1_000n },
        voids: { count: 0 },
      });
    },
  );

  it.each([
    ['4000000000000002', 'CARD_DECLINED'],
    ['4000000000009995', 'INSUFFICIENT_FUNDS'],
    ['4000000000009987', 'LOST_CARD'],
    ['4000000000009979', 'STOLEN_CARD'],
    ['4000000000000069', 'EXPIRED_CARD'],
    ['4000000000000127', 'INCORRECT_CVC'],
    ['4000000000000119', 'PROCESSING_ERROR'],
    ['4100000000000019', 'RISK_BLOCKED'],
    ['4000000000008807', 'CAPTURE_REFUSED'],
  ])('with the card %s has failed: %s', async (card, code) => {
    const { env, counts } = await payWith(card);
    await env.clock.advance(100);
    expect(await env.payment()).toMatchObject({ status: 'FAILED', failure: { code } });
    const { authorizations, captures, voids } = counts();
    expect([authorizations.count - voids.count, captures.count]).toEqual([0, 0]);
  });

  it.each([
    ['4000000000000341', 'authorization'],
    ['4000000000008815', 'capture'],
  ])('with the card %s is complete although the answer to its %s is lost, and is made once', async (card) => {
    const { env, counts } = await payWith(card);
    await env.clock.advance(20_000);
    expect(await env.payment()).toMatchObject({ status: 'COMPLETED' });
    expect(counts()).toMatchObject({ authorizations: { count: 1 }, captures: { count: 1 }, voids: { count: 0 } });
  });

  it('waits for a customer who has to authenticate, and goes on when they have', async () => {
    const { env, counts } = await payWith('4000000000003220');
    await env.clock.advance(5 * MINUTE);
    expect(await env.payment()).toMatchObject({ phase: 'AWAITING_CUSTOMER' });
    expect(counts()).toMatchObject({ authorizations: { count: 0 } });
    await env.clock.advance(30 * MINUTE);
    expect(await env.payment()).toMatchObject({ status: 'EXPIRED' });
    expect(await env.types()).not.toContain('PaymentVoided');
    expect(counts()).toMatchObject({ authorizations: { count: 0 } });
  });

  it.each([
    ['4000000000003220', 'approve', { status: 'COMPLETED' }],
    ['4000000000004954', 'approve', { status: 'COMPLETED' }],
    ['4000000000003220', 'decline', { status: 'FAILED', failure: { code: 'AUTHENTICATION_FAILED' } }],
    ['4000008400001629', 'approve', { status: 'FAILED', failure: { code: 'CARD_DECLINED' } }],
    ['4000008260003178', 'approve', { status: 'FAILED', failure: { code: 'INSUFFICIENT_FUNDS' } }],
  ] as const)('with the card %s, when the customer says %s, ends as it should', async (card, decision, end) => {
    const { env, answer } = await payWith(card);
    await answer(decision);
    await env.clock.advance(MINUTE);
    expect(await env.payment()).toMatchObject(end);
  });

  it.each([
    ['4000000000005126', 'FAILED', 0],
    ['4000000000007726', 'COMPLETED', 1],
    ['4000000000000259', 'COMPLETED', 1],
    ['4000000000008823', 'COMPLETED', 1],
    ['4111111111111111', 'COMPLETED', 1],
  ])('with the card %s has its refund end as %s', async (card, status, count) => {
    const { env, counts } = await payWith(card);
    await env.clock.advance(100);
    await env.command(askRefund(300n));
    await env.clock.advance(MINUTE);
    expect(refundOf(await env.payment(), REFUND_ID)).toMatchObject({ status });
    expect(counts()).toMatchObject({ refunds: { count, amountMinor: BigInt(count) * 300n } });
  });
});
