import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SeededRandom } from '@app/platform/testing';
import { booksOf } from '../support/books';
import { counterfoil } from '../support/cli';
import { problemsOfLog, readLog } from '../support/event-log';
import { Load, newSeed } from '../support/load';
import { MerchantClient } from '../support/merchant-client';
import { untilSettled } from '../support/outcome';
import { bodyOf, createCompleted, read } from '../support/payments';
import { eventually, Service } from '../support/service';

// None of them waits for a customer: all of them come to an end by themselves.
const CARDS = {
  completes: 6,
  declined: 1,
  captureRefused: 1,
  authorizationAnswerLost: 1,
  refundAnswerLost: 1,
} as const;
/** So many payments before the copying begins, so that it takes a while. */
const BEFORE = 150;

let service: Service;
let client: MerchantClient;
let folder: string;
let copy: Service | null = null;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'backup-'));
  service = await Service.start();
  client = new MerchantClient(service.url, service.credentials);
});

afterAll(async () => {
  for (const running of [service, copy]) {
    await running?.stop();
    await running?.removeData();
  }
  rmSync(folder, { recursive: true, force: true });
});

const backUp = (to: string, dataDir = service.dataDir) => counterfoil(['backup', to], { DATA_DIR: dataDir });
const modeOf = (path: string) => statSync(path).mode & 0o777;

it('of a service at work has all that was acknowledged before, and is a service of its own', async () => {
  const seed = newSeed();
  process.stdout.write(`backup: SEED=${seed}\n`);
  const load = new Load({ client, random: new SeededRandom(seed), cards: CARDS, merchants: 8 });
  const to = join(folder, 'first');
  try {
    await load.progress(BEFORE);
    const before = load.payments.flatMap(({ answer }) => (answer === null ? [] : [String(answer.body['paymentId'])]));
    const { answered } = load;
    const { code, stdout, stderr } = await backUp(to);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/first holds .*events\.sqlite \([\d,]+ bytes\)/);
    expect(stdout).toMatch(/Its [\d,]+ events are intact\./);
    // The service was at work all the while, and still is.
    expect(load.answered).toBeGreaterThan(answered);
    await load.progress(20);
    await load.finish();
    await untilSettled(client, load.acknowledged, 60_000);
    expect(load.surprises).toEqual([]);
    expect(service.errors).toEqual([]);

    expect(modeOf(to)).toBe(0o700);
    const files = readdirSync(to).sort();
    expect(files).toEqual(['events.sqlite', 'gateway.sqlite', 'master.key', 'operator.token', 'sandbox.json']);
    for (const file of files) expect([file, modeOf(join(to, file))]).toEqual([file, 0o600]);
    expect(readdirSync(folder)).toEqual(['first']);

    const copied = await readLog(to);
    expect(problemsOfLog(copied)).toEqual([]);
    const whole = await readLog(service.dataDir);
    expect(copied).toEqual(whole.slice(0, copied.length));
    expect(copied.length).toBeLessThan(whole.length);
    const created = copied.flatMap(({ type, data }) =>
      type === 'PaymentCreated' ? [(JSON.parse(data) as { paymentId: string }).paymentId] : [],
    );
    expect(created).toEqual(expect.arrayContaining(before));

    copy = await Service.start({ dataDir: to });
    const successor = new MerchantClient(copy.url, copy.credentials);
    const held = load.acknowledged.filter(({ created: { paymentId } }) => created.includes(paymentId));
    await untilSettled(successor, held, 60_000);
    for (const { created: payment, card } of held) {
      const { status } = await read(successor, payment.paymentId);
      expect([card, status]).toEqual([card, card === 'declined' || card === 'captureRefused' ? 'FAILED' : 'COMPLETED']);
    }
    // What had been done at the gateway already when the books were copied was not done again.
    for (const [paymentId, { authorizations, captures }] of booksOf(to, created)) {
      expect([paymentId, authorizations.count <= 1, captures.count <= 1]).toEqual([paymentId, true, true]);
    }
    await createCompleted(successor);

    // What came too late for the copy is the same payment when its merchant asks for it again.
    const late = load.acknowledged.filter(({ created: { paymentId } }) => !created.includes(paymentId)).slice(0, 5);
    expect(late).not.toEqual([]);
    for (const { request, key, created: first } of late) {
      const again = bodyOf<typeof first>(await successor.createPayment(request, { key }), 201);
      const { paymentId, transactionId } = first;
      expect(again).toMatchObject({ paymentId, transactionId });
    }
    await untilSettled(successor, late, 60_000);
    const ids = late.map(({ created: { paymentId } }) => paymentId);
    for (const { authorizations, captures } of booksOf(to, ids).values()) {
      expect([authorizations.count <= 1, captures.count <= 1]).toEqual([true, true]);
    }
    expect(problemsOfLog(await readLog(to))).toEqual([]);
    expect(copy.errors).toEqual([]);
  } finally {
    load.abandon();
  }
}, 150_000);

it('of a service that does not run is the same', async () => {
  await service.stop();
  const to = join(folder, 'second');
  expect((await backUp(to)).code).toBe(0);
  expect(await readLog(to)).toEqual(await readLog(service.dataDir));
  service = await service.restart();
  await eventually('the service to answer', async () => (await createCompleted(client)).paymentId);
});

it('of a changed log is kept, and said to be that of a changed log', async () => {
  await service.stop();
  const log = new DatabaseSync(join(service.dataDir, 'events.sqlite'));
  log.exec(`UPDATE events SET data = CAST(replace(CAST(data AS TEXT), '"currency":"EUR"', '"currency":"USD"') AS BLOB)
            WHERE position = (SELECT min(position) FROM events WHERE type = 'PaymentCaptured')`);
  log.close();
  const to = join(folder, 'changed');
  const { code, stdout } = await backUp(to);
  expect({ code, stdout }).toEqual({
    code: 10,
    stdout: expect.stringContaining('the log that was copied is not intact'),
  });
  expect(stdout).toMatch(/CHANGED: payment-[0-9A-Z]{26} at revision \d/);
  expect(await readLog(to)).toEqual(await readLog(service.dataDir));
});

it('is refused where it would mix with something, or where there is nothing to copy; nothing is left', async () => {
  const taken = join(folder, 'taken');
  mkdirSync(taken);
  writeFileSync(join(taken, 'note'), '');
  expect(await backUp(taken)).toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty') });
  expect(readdirSync(taken)).toEqual(['note']);
  const nothing = await backUp(join(folder, 'third'), taken);
  expect(nothing).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no event log in') });
  writeFileSync(join(taken, 'events.sqlite'), 'no database at all, but a text that is long enough'.repeat(20));
  const damaged = await backUp(join(folder, 'third'), taken);
  expect(damaged).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing was backed up') });
  expect(existsSync(join(folder, 'third'))).toBe(false);
  expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
  expect((await counterfoil(['backup'], { DATA_DIR: taken })).code).toBe(2);
});
