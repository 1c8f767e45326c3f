import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { foreignEvent } from '@app/event-sourcing/testing/recorded-events';
import { SeededRandom } from '@app/platform/testing';
import { openStore } from '@app/stores/testing/eventstoredb/stores';
import { untilSealed, verify, verifyInPython } from '../support/audited-log';
import { counterfoil } from '../support/cli';
import { Load, newSeed } from '../support/load';
import { MerchantClient } from '../support/merchant-client';
import { untilSettled } from '../support/outcome';
import { createCompleted } from '../support/payments';
import { Service } from '../support/service';
import { storesOf } from '../support/stores-of';
import { appended } from '../support/tampered-log';

let service: Service;
let client: MerchantClient;
let env: Record<string, string>;
let key: string;

beforeAll(async () => {
  service = await Service.start();
  client = new MerchantClient(service.url, service.credentials);
  env = { DATA_DIR: service.dataDir, ...(await storesOf(service.dataDir, {})) };
  await createCompleted(client);
  await untilSealed(env);
  key = join(service.dataDir, 'key.pem');
  writeFileSync(key, (await counterfoil(['audit', 'key'], env)).stdout);
});

afterAll(async () => {
  await service.kill();
  await service.removeData();
  rmSync(service.dataDir, { recursive: true, force: true });
});

it('a payment is proven offline, and nothing else is', async () => {
  const { paymentId } = await createCompleted(client);
  await untilSealed(env);
  const file = join(service.dataDir, 'proof.json');
  expect((await counterfoil(['audit', 'prove', paymentId, '--out', file], env)).code).toBe(0);
  const check = (proof: string, pem = key) => counterfoil(['audit', 'check-proof', proof, '--public-key', pem], {});
  const held = await check(file);
  expect([held.code, held.stderr]).toEqual([0, '']);
  expect(held.stdout).toMatch(/PaymentCreated .*\n(.*\n)+.*PaymentCaptured .*\nSealed on .* The proof holds\.\n$/);
  const proof = readFileSync(file, 'utf8');
  const changes = [
    proof.replace('PaymentCaptured', 'PaymentCancelled'),
    proof.replace(/"size": (\d+)/, '"size": 1$1'),
    proof.replace(/"leafIndex": \d+/, '"leafIndex": 0'),
    proof.replace(/"path": \[[^\]]+\]/, '"path": []'),
    proof.replace(/"refusedDigest": "./, '"refusedDigest": "x'),
    proof.replace(/"root": "[^"]+"/, '"root": null'),
  ];
  for (const [index, changed] of changes.entries()) {
    expect(changed).not.toBe(proof);
    const other = join(service.dataDir, `proof-${index}.json`);
    writeFileSync(other, changed);
    expect(await check(other)).toMatchObject({ code: 20, stderr: expect.stringMatching(/^The proof does not hold: /) });
  }
  const stranger = join(service.dataDir, 'stranger.pem');
  writeFileSync(
    stranger,
    '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n',
  );
  expect((await check(file, stranger)).code).toBe(20);
  expect((await check(join(service.dataDir, 'none.json'))).code).toBe(1);
});

it('a log is verified while it is written, and while the service is killed again and again', async () => {
  const seed = newSeed();
  process.stdout.write(`audit: SEED=${seed}\n`);
  const head = join(service.dataDir, 'head.json');
  const options = ['--public-key', key, '--save-head', head];
  expect((await verify(env, ...options)).code).toBe(0);
  for (let round = 0; round < 3; round += 1) {
    const cards = { completes: 4, declined: 1, captureRefused: 1 };
    const load = new Load({ client, random: new SeededRandom(seed + round), cards, merchants: 4 });
    await load.progress(10);
    const { code, report } = await verify(env, '--trusted-head', head, ...options);
    expect([code, report.findings]).toEqual([0, []]);
    await load.finish();
    // Sealing begins with the start, so that it is often killed at it.
    await service.kill();
    service = await service.restart();
    await untilSettled(client, load.acknowledged, 45_000);
  }
  const { unsealed, seals } = await untilSealed(env);
  expect([unsealed, seals > 3]).toEqual([0, true]);
  const python = await verifyInPython(service.dataDir, env, readFileSync(key, 'utf8'));
  expect(python).toMatch(/^INTACT \d+ [0-9a-f]{64}$/);
  const metrics = await service.metrics();
  expect(metrics).toMatch(/^counterfoil_sealed_events [1-9]/m);
  expect(metrics).not.toMatch(/^counterfoil_sealing_failures_total [1-9]/m);
});

it('what a foreign client appends is found, and named in the next seal', async () => {
  const { paymentId } = await createCompleted(client);
  await untilSealed(env);
  const streamId = paymentId.replace('pay_', 'payment-');
  const revision = await appendForeign(streamId);
  const found = { kind: 'FORGED', streamId, revision };
  expect(await verify(env, '--public-key', key)).toMatchObject({ code: 14, report: { findings: [found] } });
  await untilSealed(env);
  expect(await verify(env, '--public-key', key)).toMatchObject({ code: 14, report: { findings: [found] } });
});

/** @returns its revision */
async function appendForeign(streamId: string): Promise<number> {
  const { EVENTSTORE_URL: url, STREAM_PREFIX: streamPrefix = '' } = env;
  if (url !== undefined) {
    const store = openStore(url, { streamPrefix });
    const last = (await store.readStream(streamId)).length - 1;
    const { revision } = await store.append(streamId, last, [foreignEvent(crypto.randomUUID())]);
    await store.close();
    return revision;
  }
  await service.stop();
  const log = new DatabaseSync(join(service.dataDir, 'events.sqlite'));
  const revision = appended(log, streamId, 'OrderShipped', '{}', '');
  log.close();
  service = await service.restart();
  return revision;
}
