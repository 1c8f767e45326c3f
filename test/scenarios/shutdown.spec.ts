import { once } from 'node:events';
import { connect } from 'node:net';
import { MerchantClient } from '../support/merchant-client';
import { createCompleted } from '../support/payments';
import { Service } from '../support/service';
import { Work } from '../support/work';

let service: Service;
let work: Work | undefined;

beforeEach(async () => {
  service = await Service.start();
});

afterEach(async () => {
  await work?.end();
  work = undefined;
  await service.kill();
  await service.removeData();
});

it('finishes what is in hand at SIGTERM, and keeps all that it has acknowledged', async () => {
  // A lost answer leaves the gateway's call in hand for five seconds: the stop has to wait for it or give it up.
  const cards = { completes: 10, declined: 1, challenge: 2, authorizationAnswerLost: 2, captureAnswerLost: 1 };
  work = await Work.start('shutdown', service, cards);
  const { load, random } = work;
  await load.progress(60 + Math.floor(random.fraction() * 60));
  const code = await service.stop();
  expect({ code, errors: service.errors }).toEqual({ code: 0, errors: [] });
  expect(service.log).toContain('"msg":"stopped"');

  service = await service.restart();
  await load.progress(20);
  expect(await work.problems(service)).toEqual([]);
  expect(await service.stop()).toBe(0);
});

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
