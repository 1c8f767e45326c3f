import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededRandom } from '@app/platform/testing';
import { actsFor } from '../support/books';
import { accepted, authorized } from '../support/payment-actions';
import { freePort } from '../support/free-port';
import { GATEWAY_SECRET, GatewayProcess, startGatewayRefused } from '../support/gateway-process';
import { Load, newSeed } from '../support/load';
import { MerchantClient } from '../support/merchant-client';
import { problemsOf, untilSettled } from '../support/outcome';
import {
  answerChallenge,
  bodyOf,
  CARDS,
  create,
  createCompleted,
  refund,
  untilRefundStatus,
  untilStatus,
} from '../support/payments';
import { eventually, type SandboxCredentials, Service, startRefused } from '../support/service';

const PRODUCTION = {
  APP_MODE: 'production',
  OPERATOR_TOKEN: 'an-operator-token-of-the-tests',
  MASTER_KEY: 'nDM4c0mrXWl3uEVB1Oq0o2Sx5Jg7T+YkqL9hZb8RfHo=',
  GATEWAY_SECRET,
};

let gateway: GatewayProcess;
let service: Service;
let client: MerchantClient;

async function start({ callbacks }: { readonly callbacks: boolean }): Promise<void> {
  const port = await freePort();
  const callbackUrl = `http://127.0.0.1:${port}/gateway/v1/callbacks`;
  gateway = await GatewayProcess.start({ mode: 'live', ...(callbacks ? { callbackUrl } : {}) });
  service = await Service.start({ env: { ...PRODUCTION, GATEWAY_URL: gateway.url, PORT: String(port) } });
  const response = await fetch(`${service.url}/admin/v1/merchants`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${PRODUCTION.OPERATOR_TOKEN}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Tea & Sons' }),
  });
  client = new MerchantClient(service.url, (await response.json()) as SandboxCredentials);
}

afterEach(async () => {
  await service?.kill();
  await gateway?.kill();
  await service?.removeData();
  gateway?.removeData();
});

describe('in production mode, with a gateway of its own that says it is live', () => {
  it('takes payments over 3DS, captures and refunds them, and both processes stop in good order', async () => {
    await start({ callbacks: true });
    const payment = await create(client, { card: CARDS.challenge });
    expect(new URL(payment.nextAction!.redirectUrl).origin).toBe(gateway.url);
    expect((await fetch(payment.nextAction!.redirectUrl.replace(gateway.url, service.url))).status).toBe(404);
    expect((await answerChallenge(payment, 'approve')).status).toBe(200);
    // Sooner than the first poll, which comes after 20 s.
    await untilStatus(client, payment.paymentId, 'COMPLETED', 15_000);
    const { refundId } = await refund(client, payment.paymentId, '25.00');
    await untilRefundStatus(client, refundId, 'COMPLETED');

    const manual = await authorized(client);
    await accepted(client, 'capture', manual.paymentId, { amount: { value: '100.00', currency: 'EUR' } });
    await untilStatus(client, manual.paymentId, 'COMPLETED');
    const cancelled = await authorized(client);
    await accepted(client, 'cancel', cancelled.paymentId);
    await untilStatus(client, cancelled.paymentId, 'CANCELLED');
    const declined = await create(client, { card: CARDS.insufficientFunds });
    expect((await untilStatus(client, declined.paymentId, 'FAILED')).error?.code).toBe('INSUFFICIENT_FUNDS');

    const acts = (paymentId: string) => actsFor(gateway.dataDir, paymentId);
    expect(acts(payment.paymentId)).toEqual({ authorizations: 1, captures: 1, voids: 0, refunds: 1 });
    expect(acts(manual.paymentId)).toEqual({ authorizations: 1, captures: 1, voids: 0, refunds: 0 });
    expect(acts(cancelled.paymentId)).toEqual({ authorizations: 1, captures: 0, voids: 1, refunds: 0 });
    expect(acts(declined.paymentId)).toEqual({ authorizations: 0, captures: 0, voids: 0, refunds: 0 });
    expect(service.log).toMatch(/"path":"\/gateway\/v1\/callbacks","status":204/);
    expect([await service.stop(), await gateway.stop()]).toEqual([0, 0]);
    expect([...service.errors, ...gateway.errors]).toEqual([]);
    for (const { log } of [service, gateway]) expect(log).not.toMatch(/4000000000003220|"cvv"|a-gateway-secret/);
  });

  it('ends with one authorization, capture and refund where their answers get lost', async () => {
    await start({ callbacks: true });
    const cards = [CARDS.authorizationAnswerLost, CARDS.captureAnswerLost, CARDS.refundAnswerLost];
    const payments = await Promise.all(cards.map((card) => createCompleted(client, { card })));
    const refunds = await Promise.all(payments.map(({ paymentId }) => refund(client, paymentId, '1.00')));
    await Promise.all(refunds.map(({ refundId }) => untilRefundStatus(client, refundId, 'COMPLETED')));
    for (const { paymentId } of payments) {
      expect(actsFor(gateway.dataDir, paymentId)).toEqual({ authorizations: 1, captures: 1, voids: 0, refunds: 1 });
    }
  });

  it('hears of a refund that is decided later', async () => {
    await start({ callbacks: true });
    const { paymentId } = await createCompleted(client, { card: CARDS.refundPending });
    const { refundId } = await refund(client, paymentId, '10.00');
    await untilRefundStatus(client, refundId, 'COMPLETED', 30_000);
    expect(service.log).toMatch(/"path":"\/gateway\/v1\/callbacks","status":204/);
  });
});

it('does everything once though the gateway is killed again and again, and no callback ever comes', async () => {
  await start({ callbacks: false });
  const seed = newSeed();
  process.stdout.write(`http-gateway: SEED=${seed}\n`);
  const random = new SeededRandom(seed);
  const load = new Load({
    client,
    random,
    merchants: 6,
    cards: {
      completes: 10,
      declined: 2,
      challenge: 2,
      captureRefused: 1,
      authorizationAnswerLost: 1,
      captureAnswerLost: 1,
      refundAnswerLost: 1,
    },
  });
  try {
    for (let kill = 1; kill <= 3; kill += 1) {
      await load.progress(30 + Math.floor(random.fraction() * 50));
      await gateway.kill();
      // For as long as nobody is there, merchants are told so, and try again.
      await expectUnavailable();
      gateway = await gateway.restart();
    }
    await load.progress(20);
    await load.finish();
  } finally {
    load.abandon();
  }
  expect(load.unanswered).toBeGreaterThan(0);
  await untilSettled(client, load.acknowledged, 90_000);
  expect(await problemsOf(load, client, gateway.dataDir)).toEqual([]);
  expect([...service.errors, ...gateway.errors]).toEqual([]);
}, 200_000);

it('takes no card in production mode where the gateway says that it is the sandbox, and names the cause', async () => {
  await start({ callbacks: true });
  await replaceGateway('sandbox');
  await expectUnavailable();
  expect(
    bodyOf<{ items: unknown[] }>(await client.send('GET', '/api/v2/payments', undefined, {}, false), 200).items,
  ).toEqual([]);
  const cause = 'The gateway is a sandbox, which moves no money: production mode refuses its answers';
  expect(service.log).toContain(`"reason":"${cause}"`);
  const ready = await fetch(`${service.url}/health/ready`);
  expect(ready.status).toBe(503);
  expect(await ready.text()).toContain('it is a sandbox, which production mode refuses');
});

it('does nothing more of what is open when a sandbox is put in the place of its gateway', async () => {
  await start({ callbacks: false });
  const { paymentId } = await authorized(client);
  await replaceGateway('sandbox');
  await accepted(client, 'capture', paymentId, {});
  const refused = /"operation":"CAPTURE".*"reason":"The gateway is a sandbox.*"msg":"gateway call without an answer"/;
  await eventually('the refusal to be logged', async () => refused.test(service.log));
  expect(bodyOf<{ status: string }>(await client.payment(paymentId), 200).status).toBe('AUTHORIZED');
  await replaceGateway('live');
  await untilStatus(client, paymentId, 'COMPLETED', 60_000);
  expect(actsFor(gateway.dataDir, paymentId)).toMatchObject({ authorizations: 1, captures: 1 });
});

async function replaceGateway(mode: 'live' | 'sandbox'): Promise<void> {
  await gateway.stop();
  const port = Number(new URL(gateway.url).port);
  gateway = await GatewayProcess.start({ dataDir: gateway.dataDir, port, mode });
}

async function expectUnavailable(): Promise<void> {
  const answer = await client.createPayment({
    amount: { value: '1.00', currency: 'EUR' },
    order: { orderId: 'while-away' },
    payer: {
      payerId: 'payer-1',
      paymentMethod: {
        type: 'credit_card',
        card: { number: CARDS.completes, expiryMonth: '12', expiryYear: '2030', cvv: '123' },
      },
    },
  });
  expect(bodyOf<{ error: { code: string } }>(answer, 503).error.code).toBe('GATEWAY_UNAVAILABLE');
}

it('refuses to start in production mode without a gateway, naming what is missing', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterfoil-'));
  const { code, output } = await startRefused(dataDir, { ...PRODUCTION, EVENTSTORE_URL: '' });
  rmSync(dataDir, { recursive: true, force: true });
  expect(code).toBe(1);
  expect(output).toContain('GATEWAY_URL: is required in production mode');
});

it('the gateway refuses to start without its secret, on a port that is taken, or in production mode, and names the variable', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterfoil-gateway-'));
  gateway = await GatewayProcess.start();
  const port = new URL(gateway.url).port;
  const [nothing, taken, production] = [
    await startGatewayRefused({ GATEWAY_SECRET: '', DATA_DIR: dataDir }),
    await startGatewayRefused({ GATEWAY_SECRET, GATEWAY_PORT: port, DATA_DIR: dataDir }),
    await startGatewayRefused({ GATEWAY_SECRET: 'short', APP_MODE: 'production', DATA_DIR: dataDir }),
  ];
  rmSync(dataDir, { recursive: true, force: true });
  expect([nothing.code, taken.code, production.code]).toEqual([1, 1, 1]);
  expect(nothing.output).toContain('GATEWAY_SECRET: is required');
  expect(taken.output).toContain(`GATEWAY_PORT: ${port} is in use`);
  expect(production.output).toContain('APP_MODE: must not be production');
  expect(production.output).toContain('GATEWAY_SECRET:');
});
