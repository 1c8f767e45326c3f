import { MerchantClient } from '../support/merchant-client';
import { authorized } from '../support/payment-actions';
import { answerChallenge, CARDS, create, createCompleted, read, untilStatus } from '../support/payments';
import { eventually, Service } from '../support/service';
import { SteppedClocks } from '../support/stepped-clock';
import { WebhookReceiver } from '../support/webhook-receiver';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Longer than any delay between two attempts of what these tests make fail, and shorter than any step. */
const SOON_MS = 40_000;

let clocks: SteppedClocks;
let service: Service;
let receiver: WebhookReceiver;
/** Webhooks of orders of this name are answered with 500 the first time. */
const REFUSED_ONCE = 'refused-once';

beforeEach(async () => {
  clocks = new SteppedClocks();
  const seen = new Set<string>();
  receiver = await WebhookReceiver.start(({ headers, body }) => {
    const webhookId = String(headers['x-webhook-id']);
    const isFirst = !seen.has(webhookId);
    seen.add(webhookId);
    return isFirst && body.data['orderId'] === REFUSED_ONCE ? 500 : 204;
  });
  service = await Service.start({ env: clocks.env });
});

afterEach(async () => {
  await service?.kill();
  await receiver?.stop();
  await service?.removeData();
  clocks?.remove();
});

/** The merchant's clock is as far off as the service's, as its stamps have to fit. */
const clientAt = (offMs: number) => new MerchantClient(service.url, service.credentials, () => Date.now() + offMs);
const told = (paymentId: string) =>
  eventually(`the webhook of ${paymentId}`, async () => receiver.of(paymentId).length > 0, SOON_MS);

async function completesAndTells(client: MerchantClient, card: string = CARDS.completes): Promise<void> {
  const { paymentId } = await create(client, { card, notifyUrl: receiver.url });
  await untilStatus(client, paymentId, 'COMPLETED', SOON_MS);
  await told(paymentId);
}

async function readiness(): Promise<string> {
  const response = await fetch(`${service.url}/health/ready`);
  return `${response.status} ${await response.text()}`;
}

it('goes on when the clock is put back, with what is new and with what was under way', async () => {
  const before = clientAt(0);
  await completesAndTells(before);
  const waiting = await create(before, { card: CARDS.challenge, notifyUrl: receiver.url });
  const held = await authorized(before);
  // Their answers are lost: they are put off by a clock that is an hour ahead of the next one.
  const putOff = await Promise.all(
    [CARDS.authorizationAnswerLost, CARDS.captureAnswerLost].map((card) => create(before, { card })),
  );
  await clocks.set(-HOUR, 'counterfoil');
  const after = clientAt(-HOUR);
  await Promise.all([completesAndTells(after), completesAndTells(after, CARDS.authorizationAnswerLost)]);
  for (const { paymentId } of putOff) await untilStatus(after, paymentId, 'COMPLETED', SOON_MS);
  expect((await answerChallenge(waiting, 'approve')).status).toBe(200);
  const { timeline } = await untilStatus(after, waiting.paymentId, 'COMPLETED', SOON_MS);
  expect(timeline['completedAt']! >= timeline['createdAt']!).toBe(true);
  await told(waiting.paymentId);
  expect((await read(after, held.paymentId)).status).toBe('AUTHORIZED');
  expect(service.log).toMatch(/"byMs":-36\d{5},.*"msg":"the clock was set"/);
  expect(await service.metrics()).toMatch(/^counterfoil_clock_step_seconds -36\d\d/m);
});

it('loses nothing, and lets nothing expire, when the clock is days ahead for some seconds', async () => {
  const right = clientAt(0);
  await createCompleted(right);
  const waiting = await create(right, { card: CARDS.challenge });
  const held = await authorized(right);
  await clocks.set(8 * DAY, 'counterfoil');
  const ahead = clientAt(8 * DAY);
  const payments = await Promise.all(
    Object.values({ ...CARDS, challenge: CARDS.completes })
      .filter((card) =>
        [CARDS.completes, CARDS.authorizationAnswerLost, CARDS.captureAnswerLost].includes(card as never),
      )
      .flatMap((card) => [card, card, card])
      .map((card, index) => {
        const extra = index < 4 ? { order: { orderId: REFUSED_ONCE } } : {};
        return create(ahead, { card, notifyUrl: receiver.url, extra });
      }),
  );
  await eventually('the clock to be known to be wrong', async () => (await readiness()).includes('it leapt ahead'));
  expect(await readiness()).toMatch(/^200 /);
  // Looked at under the wrong clock, which must not take it for over.
  expect((await read(ahead, waiting.paymentId)).status).toBe('PROCESSING');
  await clocks.set(0, 'counterfoil');
  for (const { paymentId } of payments) await untilStatus(right, paymentId, 'COMPLETED', SOON_MS);
  for (const { paymentId } of payments) await told(paymentId);
  for (const { paymentId } of payments.slice(0, 4)) {
    await eventually('the second attempt', async () => receiver.of(paymentId).length === 2, SOON_MS);
  }
  expect((await answerChallenge(waiting, 'approve')).status).toBe(200);
  await untilStatus(right, waiting.paymentId, 'COMPLETED', SOON_MS);
  expect((await read(right, held.paymentId)).status).toBe('AUTHORIZED');
  expect(service.errors).toEqual([]);
});

it('takes and finishes payments by a clock that leaps ahead and stays there', async () => {
  await createCompleted(clientAt(0));
  await clocks.set(HOUR, 'counterfoil');
  const ahead = clientAt(HOUR);
  await Promise.all([
    completesAndTells(ahead),
    completesAndTells(ahead, CARDS.authorizationAnswerLost),
    completesAndTells(ahead, CARDS.captureAnswerLost),
  ]);
  expect(await readiness()).toMatch(/^200 /);
});
