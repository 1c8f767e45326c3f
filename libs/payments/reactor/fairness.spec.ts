import { create } from '@app/payments/testing/payments';
import type { TransactionOutcome, TransactionRequest } from '@app/gateway/port';
import { ProcessingEnvironment } from './testing/processing-environment';
import { ScriptedGateway } from './testing/scripted-gateway';

/** Authorizes, but the answers for one merchant's payments never arrive. */
class SwallowingGateway extends ScriptedGateway {
  override authorize(request: TransactionRequest): Promise<TransactionOutcome> {
    if (request.gatewayReference === 'gw_swallowed') this.script('authorize', 'hangs');
    return super.authorize(request);
  }
}

const environments: ProcessingEnvironment[] = [];
afterEach(async () => {
  for (const environment of environments.splice(0)) await environment.stop();
});

const idOf = (merchant: number, n: number) => `pay_${merchant}${String(n).padStart(25, '0')}`;

/** Creates a payment for the merchant; merchant 1 never gets answers. */
async function pay(env: ProcessingEnvironment, merchant: number, n: number): Promise<void> {
  const paymentId = idOf(merchant, n);
  const transactionIds = {
    authorization: `txn_a${paymentId}`,
    capture: `txn_c${paymentId}`,
    void: `txn_v${paymentId}`,
  };
  const gatewayReference = merchant === 1 ? 'gw_swallowed' : 'gw_1';
  const payment = { paymentId, merchantId: `m${merchant}`, transactionIds, gatewayReference };
  await env.commandOn(paymentId, create(payment));
}

it("one merchant's lost answers stop no other's payments, and are inquired about within two seconds", async () => {
  const env = new ProcessingEnvironment(new SwallowingGateway());
  environments.push(env);
  env.startWorker();
  for (let n = 0; n < 200; n += 1) await pay(env, 1, n);
  await env.clock.advance(100);
  const asked = () => env.gateway.calls.filter((call) => call.startsWith('authorize')).length;
  expect(asked()).toBe(64);
  for (let n = 0; n < 20; n += 1) await pay(env, 2, n);
  await env.clock.advance(200);
  for (let n = 0; n < 20; n += 1) expect(await env.payment(idOf(2, n))).toMatchObject({ status: 'COMPLETED' });
  // The calls time out after 5 s and the next 64 start to wait; the first ones are inquired about all the same.
  await env.clock.advance(6_800);
  expect(asked()).toBe(20 + 2 * 64);
  for (let n = 0; n < 64; n += 1) expect(await env.payment(idOf(1, n))).toMatchObject({ status: 'COMPLETED' });
  await env.clock.advance(15_000);
  expect(asked()).toBe(220);
  for (let n = 0; n < 200; n += 1) expect(await env.payment(idOf(1, n))).toMatchObject({ status: 'COMPLETED' });
  expect(env.gateway.count('authorize')).toBe(220);
});
