import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MerchantClient, paymentRequest } from '../support/merchant-client';
import { createCompleted } from '../support/payments';
import { eventually, Service } from '../support/service';

let service: Service;
let client: MerchantClient;

beforeAll(async () => {
  service = await Service.start();
  client = new MerchantClient(service.url, service.credentials);
});
afterAll(async () => {
  await service.stop();
  await service.removeData();
});

async function readiness(): Promise<{ readonly status: number; readonly reasons: readonly unknown[] }> {
  const answer = await fetch(`${service.url}/health/ready`);
  const { reasons } = (await answer.json()) as { reasons: readonly unknown[] };
  return { status: answer.status, reasons };
}

/** Keeps the service from writing the file, as a full disk would; resolves to what gives it free again. */
function block(file: string): () => void {
  const database = new DatabaseSync(join(service.dataDir, file), { timeout: 5_000 });
  database.exec('BEGIN IMMEDIATE');
  return () => {
    database.exec('ROLLBACK');
    database.close();
  };
}

it.each([
  ['events.sqlite', 'EVENT_STORE_UNAVAILABLE', { name: 'event store', reason: 'events cannot be stored' }],
  ['gateway.sqlite', 'GATEWAY_UNAVAILABLE', { name: 'gateway', reason: 'its books cannot be written' }],
])('is not ready while %s cannot be written, and gets ready by itself', async (file, code, reason) => {
  await createCompleted(client);
  expect(await readiness()).toEqual({ status: 200, reasons: [] });
  const unblock = block(file);
  const refused = await client.createPayment(paymentRequest());
  expect([refused.status, refused.body]).toMatchObject([503, { error: { code } }]);
  expect(await readiness()).toEqual({ status: 503, reasons: [reason] });
  unblock();
  await eventually('the service to be ready', async () => (await readiness()).status === 200);
  await createCompleted(client);
});

it('logs why payments are refused, once, and each request with its code', async () => {
  const unblock = block('gateway.sqlite');
  const headers = { 'X-Request-ID': 'refused-by-the-gateway' };
  expect((await client.createPayment(paymentRequest(), { headers })).status).toBe(503);
  unblock();
  const lines = (text: string) => service.log.split('\n').filter((line) => line.includes(text));
  const ofRequest = await eventually('the line of the request', async () =>
    lines('"requestId":"refused-by-the-gateway"').at(-1),
  );
  expect(ofRequest).toContain('"code":"GATEWAY_UNAVAILABLE"');
  // Other refusals have come shortly before: it is all one outage.
  const told = lines('the gateway does not take the card');
  expect([told.length, told[0]]).toEqual([1, expect.stringContaining('database is locked')]);
});
