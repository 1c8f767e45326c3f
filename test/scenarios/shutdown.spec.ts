import { once } from 'node:events';
import { connect } from 'node:net';
import { SeededRandom } from '@app/runtime/testing';
import { problemsOfLog, readLog } from '../support/event-log';
import { Load, newSeed } from '../support/load';
import { MerchantClient } from '../support/merchant-client';
import { problemsOf, problemsOfWebhooks, untilSettled, untilTold } from '../support/outcome';
import { createCompleted } from '../support/payments';
import { Service } from '../support/service';
import { WebhookReceiver } from '../support/webhook-receiver';

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

it('finishes what is in hand at SIGTERM, and keeps all that it has acknowledged', async () => {
  const seed = newSeed();
  process.stdout.write(`shutdown: SEED=${seed}\n`);
  const random = new SeededRandom(seed);
  receiver = await WebhookReceiver.start();
  load = new Load({
    client: new MerchantClient(service.url, service.credentials),
    random,
    notifyUrl: receiver.url,
    merchants: 8,
    // A lost answer leaves the gateway's call in hand for five seconds: the stop has to wait for it or give it up.
    cards: { completes: 10, declined: 1, challenge: 2, authorizationAnswerLost: 2, captureAnswerLost: 1 },
  });
  await load.progress(60 + Math.floor(random.fraction() * 60));
  const code = await service.stop();
  expect({ code, errors: service.errors }).toEqual({ code: 0, errors: [] });
  expect(service.log).toContain('"msg":"stopped"');

  service = await service.restart();
  await load.progress(20);
  await load.finish();
  const client = new MerchantClient(service.url, service.credentials);
  await untilSettled(client, load.acknowledged, 60_000);
  await untilTold(load, receiver, 20_000);
  expect(await problemsOf(load, client, service.dataDir)).toEqual([]);
  expect(problemsOfWebhooks(load, receiver)).toEqual([]);
  expect(problemsOfLog(await readLog(service.dataDir))).toEqual([]);
  expect(await service.stop()).toBe(0);
}, 120_000);

it('stops at once when there is nothing to do, and again after that', async () => {
  expect(await service.stop()).toBe(0);
  service = await service.restart();
  expect(await service.stop()).toBe(0);
});

it.each([
  ['half of its headers', 'POST /api/v2/payments HTTP/1.1\r\nHost: a\r\nContent-'],
  ['half of its body', 'POST /api/v2/payments/batch-query HTTP/1.1\r\nHost: a\r\nContent-Length: 30\r\n\r\n{"paym'],
])('waits for no client that has sent %s', async (_what, half) => {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined).setEncoding('utf8');
  // Answered on the same connection, so that the service is sure to have it; the half request comes in the same bytes.
  socket.write(`GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n${half}`);
  const [answer] = (await once(socket, 'data')) as [string];
  expect(answer).toContain('200 OK');
  const client = new MerchantClient(service.url, service.credentials);
  await createCompleted(client);
  const code = await service.stop();
  // Else it would have said after 10 s what hangs, and ended with 1.
  expect({ code, errors: service.errors }).toEqual({ code: 0, errors: [] });
  expect(service.log).toContain('"msg":"stopped"');
  socket.destroy();
});
