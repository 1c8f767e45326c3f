import { WebhookEnvironment } from '@app/webhooks/testing/webhook-environment';

const SECOND = 1_000;
const DAY = 24 * 3_600 * SECOND;

let environment: WebhookEnvironment;
beforeEach(() => {
  // Every attempt is refused.
  environment = new WebhookEnvironment();
});
afterEach(() => environment.stop());

it.each([-SECOND, -15 * SECOND, -30 * DAY])('tells at once when the clock was put back by %d ms', async (byMs) => {
  await environment.complete();
  environment.clock.step(byMs);
  environment.start();
  await environment.clock.advance(2 * SECOND);
  expect(environment.sent).toHaveLength(1);
});

it('tries again within seconds what was put off by a clock that was ahead', async () => {
  environment.clock.step(DAY);
  environment.start();
  await environment.complete();
  await environment.clock.advance(20 * SECOND);
  expect(environment.sent).toHaveLength(2);
  environment.clock.step(-DAY);
  await environment.clock.advance(2 * SECOND);
  expect(environment.sent).toHaveLength(3);
  await environment.clock.advance(30 * SECOND);
  expect(environment.sent).toHaveLength(3);
});

it('spends no attempt on a clock that leaps ahead and is put right', async () => {
  environment.start();
  await environment.complete();
  await environment.clock.advance(20 * SECOND);
  expect(environment.sent).toHaveLength(2);
  environment.clock.step(30 * DAY);
  await environment.clock.advance(50 * SECOND);
  environment.clock.step(-30 * DAY);
  await environment.clock.advance(10 * SECOND);
  expect(environment.sent).toHaveLength(2);
});
