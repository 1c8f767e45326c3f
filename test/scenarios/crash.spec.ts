import { SeededRandom } from '@app/runtime/testing';
import { problemsOfLog, readLog } from '../support/event-log';
import { Load, newSeed } from '../support/load';
import { MerchantClient } from '../support/merchant-client';
import { problemsOf, problemsOfWebhooks, statusesOf, untilSettled, untilTold } from '../support/outcome';
import { Service } from '../support/service';
import { WebhookReceiver } from '../support/webhook-receiver';

const KILLS = 3;

let service: Service;
let receiver: WebhookReceiver | undefined;
let load: Load | undefined;

beforeEach(async () => {
  service = await Service.start();
});

afterEach(async () => {
  load?.abandon();
  await service.kill();
  await service.removeData();
  await receiver?.stop();
});

it('loses nothing and does nothing twice when it is killed in the middle of its work', async () => {
  const seed = newSeed();
  process.stdout.write(`crash: SEED=${seed}\n`);
  const random = new SeededRandom(seed);
  const seen = new Set<string>();
  // Some webhooks fail at first, so that there are retries to be lost.
  receiver = await WebhookReceiver.start(({ headers }) => {
    const webhookId = String(headers['x-webhook-id']);
    const failsFirst = webhookId.endsWith('0') || webhookId.endsWith('8');
    const isFirst = !seen.has(webhookId);
    seen.add(webhookId);
    return failsFirst && isFirst ? 500 : 204;
  });
  load = new Load({
    client: new MerchantClient(service.url, service.credentials),
    random,
    notifyUrl: receiver.url,
    merchants: 8,
    cards: {
      completes: 10,
      declined: 2,
      challenge: 4,
      challengeDeclined: 1,
      captureRefused: 1,
      authorizationAnswerLost: 1,
      captureAnswerLost: 1,
      refundAnswerLost: 2,
    },
  });
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await load.progress(40 + Math.floor(random.fraction() * 80));
    await service.kill();
    service = await service.restart();
  }
  await load.progress(20);
  await load.finish();
  expect(load.unanswered).toBeGreaterThan(0);

  const client = new MerchantClient(service.url, service.credentials);
  const ids = load.acknowledged.map(({ created }) => created.paymentId);
  expect(await statusesOf(client, ids)).not.toContain('NOT_FOUND');
  await untilSettled(client, load.acknowledged, 70_000);
  await untilTold(load, receiver, 30_000);
  expect(await problemsOf(load, client, service.dataDir)).toEqual([]);
  expect(problemsOfWebhooks(load, receiver)).toEqual([]);
  expect(problemsOfLog(await readLog(service.dataDir))).toEqual([]);
  expect(service.errors).toEqual([]);
}, 150_000);
