import { setTimeout as sleep } from 'node:timers/promises';
import { Deployment } from '../support/deployment';
import { problemsOfLog, readLog } from '../support/event-log';
import { MerchantClient } from '../support/merchant-client';
import { authorized } from '../support/payment-actions';
import { answerChallenge, CARDS, create, createCompleted, read, untilStatus } from '../support/payments';
import { eventually } from '../support/service';
import { SteppedClocks } from '../support/stepped-clock';
import { WebhookReceiver } from '../support/webhook-receiver';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;
/** Longer than any delay between two attempts of what these tests make fail, and shorter than the long steps. */
const SOON_MS = 40_000;

const PROGRAMS = ['eventstore', 'api', 'projector', 'processor', 'webhooks'];
const COUNTS = { api: 1, projector: 1, processor: 1, webhooks: 1 };

let clocks: SteppedClocks;
let roles: Deployment;
let receiver: WebhookReceiver;
const seen = new Set<string>();

beforeAll(async () => {
  clocks = new SteppedClocks();
  // Every fifth webhook is refused the first time.
  receiver = await WebhookReceiver.start(({ headers }) => {
    const webhookId = String(headers['x-webhook-id']);
    const isFirst = !seen.has(webhookId);
    seen.add(webhookId);
    return isFirst && seen.size % 5 === 0 ? 500 : 204;
  });
  roles = await Deployment.start(COUNTS, { env: clocks.env });
  await createCompleted(client());
}, 180_000);

afterAll(async () => {
  await roles?.end();
  await receiver?.stop();
  clocks?.remove();
});

/** The merchant's clock is as far off as the API's, as its stamps have to fit. */
function client(offMs = 0): MerchantClient {
  return new MerchantClient(roles.url, roles.credentials, () => Date.now() + offMs);
}

const CARDS_OF_A_ROUND = [CARDS.completes, CARDS.completes, CARDS.authorizationAnswerLost, CARDS.captureAnswerLost];

/** Some payments are under way when the clock is set, some are made under it, and some once it is right again. */
async function round(offMs: number, programs: readonly string[], forMs: number): Promise<void> {
  const begin = async (merchant: MerchantClient) => {
    const made = CARDS_OF_A_ROUND.map((card) => create(merchant, { card, notifyUrl: receiver.url }));
    return (await Promise.all(made)).map(({ paymentId }) => paymentId);
  };
  const waiting = await create(client(), { card: CARDS.challenge, notifyUrl: receiver.url });
  const held = await authorized(client());
  const ids = await begin(client());
  await clocks.set(offMs, ...programs);
  const under = client(programs.includes('api') ? offMs : 0);
  ids.push(...(await begin(under)));
  if (forMs === Infinity) await allDone(under, ids);
  else await sleep(forMs);
  await clocks.set(0, ...programs);
  ids.push(...(await begin(client())));
  await allDone(client(), ids);
  // A clock that stays ahead is believed after a minute, which a slow machine may take.
  if (offMs < 0 || forMs < Infinity) {
    expect((await answerChallenge(waiting, 'approve')).status).toBe(200);
    await allDone(client(), [waiting.paymentId]);
  }
  expect((await read(client(), held.paymentId)).status).toBe('AUTHORIZED');
}

async function allDone(merchant: MerchantClient, ids: readonly string[]): Promise<void> {
  for (const paymentId of ids) {
    await untilStatus(merchant, paymentId, 'COMPLETED', SOON_MS);
    await eventually(`the webhook of ${paymentId}`, async () => receiver.of(paymentId).length > 0, SOON_MS);
  }
}

const cases = [...PROGRAMS.map((program) => [program]), PROGRAMS].flatMap((programs) => [
  { programs, offMs: -15 * SECOND, forMs: Infinity },
  { programs, offMs: -HOUR, forMs: Infinity },
  { programs, offMs: HOUR, forMs: 2_500 },
  { programs, offMs: HOUR, forMs: Infinity },
  { programs, offMs: 8 * DAY, forMs: 2_500 },
]);

it.each(cases)(
  'goes on, and lets nothing expire, while the clock of $programs is off by $offMs ms for $forMs ms',
  async ({ programs, offMs, forMs }) => {
    await round(offMs, programs, forMs);
  },
  240_000,
);

it('has done each thing once, in a history that holds', async () => {
  expect(roles.errors).toEqual([]);
  for (const { body } of receiver.received) {
    const paymentId = String(body.data['paymentId']);
    expect(new Set(receiver.of(paymentId).map((webhook) => webhook.body.eventId)).size).toBe(1);
  }
  expect(await roles.stop()).toEqual(roles.all.map(() => 0));
  await roles.eventStore.kill();
  expect(problemsOfLog(await readLog(roles.dataDir))).toEqual([]);
});
