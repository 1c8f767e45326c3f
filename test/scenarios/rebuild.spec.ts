import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { booksOf } from '../support/books';
import { type Answer, MerchantClient } from '../support/merchant-client';
import { create, createCompleted, untilStatus } from '../support/payments';
import type { StoredVersion } from '../support/read-models';
import { ReadModelsFile } from '../support/read-models-file';
import { Reader } from '../support/reader';
import { seedLog } from '../support/seeded-log';
import { eventually, Service } from '../support/service';
import { WebhookReceiver } from '../support/webhook-receiver';

/** Enough that a rebuild takes a while, so that it can be cut off in its middle. */
const SEEDED_PAYMENTS = 6_000;
const PROJECTIONS = ['balances', 'payments', 'processing', 'webhook-deliveries'];

let service: Service;
let client: MerchantClient;
let receiver: WebhookReceiver;
let file: ReadModelsFile | null = null;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  const dataDir = mkdtempSync(join(tmpdir(), 'counterfoil-'));
  await seedLog(dataDir, SEEDED_PAYMENTS);
  service = await Service.start({ dataDir });
  client = new MerchantClient(service.url, service.credentials);
});

afterAll(async () => {
  closeFile();
  await service.kill();
  await service.removeData();
  await receiver.stop();
});

function openFile(): ReadModelsFile {
  return (file ??= new ReadModelsFile(service.dataDir));
}

function closeFile(): void {
  file?.close();
  file = null;
}

/** What the service has said of why it rebuilds the projection. */
function whyRebuilt(projection: string): readonly unknown[] {
  const lines = service.log.split('\n').filter((line) => line.includes('projection is being rebuilt'));
  const said = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  return said.filter((fields) => fields['projection'] === projection).map(({ why }) => why);
}

const get = (path: string): Promise<Answer> => client.send('GET', path, undefined, {}, false);

/** Which versions are read, once none is being built any more. */
function untilBuilt(): Promise<readonly StoredVersion[]> {
  return eventually(
    'everything to be built',
    async () => {
      const versions = openFile().versions();
      return versions.length === PROJECTIONS.length && versions.every(({ isActive }) => isActive) && versions;
    },
    30_000,
  );
}

it('replaces what another release has built without anybody noticing, also when it is killed in the middle', async () => {
  const notifyUrl = receiver.url;
  const before = await Promise.all(Array.from({ length: 5 }, () => createCompleted(client, { notifyUrl })));
  await eventually('the first webhooks', async () => receiver.received.length >= 5);
  await eventually('them to be recorded', async () => (await deliveries('DELIVERED')) === 5);
  await service.stop();
  const replaced = openFile().versions();
  expect(replaced.map(({ projection }) => projection)).toEqual(PROJECTIONS);
  openFile().pretendOlderRelease();
  closeFile();

  service = await service.restart();
  await eventually('the lists', async () => (await get('/api/v2/payments?limit=1')).status === 200);
  const held = await openFile().holdInTheMiddle('payments');
  await eventually(
    'the reason',
    async () => whyRebuilt('payments')[0] === 'the live version has another declared version',
  );
  // It is as read as before, and payments are taken.
  const during = await create(client, { notifyUrl });
  for (const path of [`/api/v2/payments/${during.paymentId}`, '/api/v2/payments', '/api/v2/balances']) {
    expect([path, (await get(path)).status]).toEqual([path, 200]);
  }
  await service.kill();
  closeFile();

  service = await service.restart();
  await eventually('the lists', async () => (await get('/api/v2/payments?limit=1')).status === 200);
  const reader = new Reader(client, before[0]!.paymentId);
  const after = await create(client, { notifyUrl });
  const built = await untilBuilt();
  await reader.end();
  expect(reader.refused).toEqual([]);
  expect(whyRebuilt('payments')).toEqual(['the build was started before']);
  for (const [index, { projection, version, declaredVersion }] of built.entries()) {
    expect(projection).toBe(PROJECTIONS[index]);
    expect(version).toBeGreaterThan(replaced[index]!.version);
    expect(declaredVersion).toBe(replaced[index]!.declaredVersion);
  }
  // The one that was cut off was gone on with, and not begun again.
  expect(built.find(({ projection }) => projection === 'payments')!.version).toBe(held.version);

  for (const { paymentId } of [during, after]) await untilStatus(client, paymentId, 'COMPLETED');
  await eventually('all webhooks', async () => receiver.received.length >= 7);
  await eventually('all of them to be recorded', async () => (await deliveries('DELIVERED')) === 7);
  await eventually('what was replaced to be gone', async () => openFile().leftovers() === 0, 30_000);
  const ids = receiver.received.map(({ headers }) => headers['x-webhook-id']);
  expect([ids.length, new Set(ids).size]).toEqual([7, 7]);
  const payments = [...before, during, after].map(({ paymentId }) => paymentId);
  for (const { authorizations, captures } of booksOf(service.dataDir, payments).values()) {
    expect([authorizations.count, captures.count]).toEqual([1, 1]);
  }
  expect(service.errors).toEqual([]);
});

async function deliveries(status: string): Promise<number> {
  const { body } = await get(`/api/v2/webhook-deliveries?status=${status}&limit=100`);
  return (body['items'] as readonly unknown[] | undefined)?.length ?? 0;
}
