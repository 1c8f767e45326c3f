import type { DeliveryAttempt, WebhookRequest } from '@app/webhooks/delivery/http-client';
import { answered, WebhookEnvironment } from '@app/webhooks/testing/webhook-environment';

/** How long an attempt may take in all. */
const HANG_MS = 15_000;

let environment: WebhookEnvironment;
beforeEach(() => {
  environment = new WebhookEnvironment();
  environment.deliver = (request) => answer(request);
});
afterEach(() => environment.stop());

/** Receivers named `dead`, by host or by path, accept the connection and never respond; all others respond at once. */
async function answer({ url, signal }: WebhookRequest): Promise<DeliveryAttempt> {
  const { hostname, pathname } = new URL(url);
  if (!hostname.startsWith('dead') && !pathname.startsWith('/dead')) return answered(204);
  await environment.clock.sleep(HANG_MS, signal);
  if (signal?.aborted) return { kind: 'aborted', durationMs: 1 };
  return { kind: 'failed', stage: 'timeout', code: 'TIMEOUT', message: 'No answer.', durationMs: HANG_MS };
}

let payments = 0;
function complete(merchantId: string, receiver: string, path = 'hook'): Promise<string> {
  payments += 1;
  const paymentId = `pay_${String(payments).padStart(26, '0')}`;
  return environment.complete({ paymentId, merchantId, notifyUrl: `https://${receiver}.test/${path}` });
}

const sentTo = (start: string) => environment.sent.filter(({ url }) => url.startsWith(`https://${start}`)).length;

it("dead receivers, be they ever so many and never tried before, don't delay another merchant's webhooks", async () => {
  environment.start();
  for (let n = 0; n < 150; n += 1) await complete('m_many', `dead${n}`);
  await environment.clock.advance(500);
  expect(sentTo('dead')).toBe(16);
  for (let round = 1; round <= 20; round += 1) {
    await complete('m_other', 'shop');
    await environment.clock.advance(200);
    expect(sentTo('shop')).toBe(round);
  }
  // The same holds while they are retried.
  await environment.clock.advance(60_000);
  await complete('m_new', 'works');
  await environment.clock.advance(200);
  expect(sentTo('works')).toBe(1);
});

it('a dead URL delays no other URL of its host, neither before it is known nor later', async () => {
  environment.start();
  for (let n = 0; n < 30; n += 1) await complete('m_1', 'shop', 'dead');
  await environment.clock.advance(200);
  for (let round = 1; round <= 40; round += 1) {
    await complete('m_1', 'shop', 'works');
    await environment.clock.advance(1_000);
    expect(sentTo('shop.test/works')).toBe(round);
  }
  // Four at first, then one every 15 s.
  expect(sentTo('shop.test/dead')).toBe(6);
});

it('a dead host with a path for each payment holds few places, whoever else is new or fails', async () => {
  environment.start();
  for (let n = 0; n < 400; n += 1) await complete('m_1', 'dead', `orders/${n}?n=${n}`);
  await environment.clock.advance(500);
  expect(sentTo('dead')).toBe(8);
  for (const merchantId of ['m_1', 'm_2']) {
    await complete(merchantId, `new-${merchantId.slice(2)}`);
    await environment.clock.advance(200);
  }
  expect(sentTo('new')).toBe(2);
  // Once every path has timed out.
  await environment.clock.advance(240_000);
  const before = sentTo('dead');
  await environment.clock.advance(HANG_MS);
  expect(sentTo('dead') - before).toBe(4);
});

it("dead receivers delay no more than a part of their own merchant's webhooks to one that works", async () => {
  environment.start();
  await complete('m_many', 'shop');
  await environment.clock.advance(200);
  for (let n = 0; n < 100; n += 1) await complete('m_many', `dead${n}`);
  await environment.clock.advance(500);
  for (let n = 0; n < 20; n += 1) await complete('m_many', 'shop');
  await environment.clock.advance(500);
  expect([sentTo('shop'), sentTo('dead')]).toEqual([21, 16]);
});
