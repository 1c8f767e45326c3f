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

/** Receivers named `dead` take the connection and never answer; all others answer at once. */
async function answer({ url, signal }: WebhookRequest): Promise<DeliveryAttempt> {
  if (!new URL(url).hostname.startsWith('dead')) return answered(204);
  await environment.clock.sleep(HANG_MS, signal);
  if (signal?.aborted) return { kind: 'aborted', durationMs: 1 };
  return { kind: 'failed', stage: 'timeout', code: 'TIMEOUT', message: 'No answer.', durationMs: HANG_MS };
}

let payments = 0;
function complete(merchantId: string, receiver: string): Promise<string> {
  payments += 1;
  const paymentId = `pay_${String(payments).padStart(26, '0')}`;
  return environment.complete({ paymentId, merchantId, notifyUrl: `https://${receiver}.test/hook` });
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
  // Nor do they while they are tried again.
  await environment.clock.advance(60_000);
  await complete('m_new', 'works');
  await environment.clock.advance(200);
  expect(sentTo('works')).toBe(1);
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
