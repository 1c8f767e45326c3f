import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { transformFileSync } from '@swc/core';

import type { Currency } from '@app/money';

import { describeGatewayContract } from '../gateway.contract';
import type { GatewayUnderTest } from '../gateway.contract';
import type { GatewayNotice } from '../notices';
import { GatewayUnavailableError } from '../port';
import type { RegisterRequest } from '../port';
import { CountingRandom, ManualClock } from '../testing/environment';
import { SANDBOX_CARDS } from './cards';
import { SandboxBooks } from './sandbox-books';
import { SandboxGateway } from './sandbox-gateway';

const NO_LIMIT = new AbortController().signal;
const clock = new ManualClock();
const random = new CountingRandom();
const folders: string[] = [];

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'));
  folders.push(folder);
  return join(folder, 'data', 'gateway.sqlite');
}

function open(file: string, busyTimeoutMs?: number): SandboxGateway {
  const timeout = busyTimeoutMs === undefined ? {} : { busyTimeoutMs };
  return SandboxGateway.open({ file, publicUrl: 'http://127.0.0.1:3000/', clock, random, ...timeout });
}

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** The token in a URL of the sandbox's pages, and the page that it opens. */
function tokenIn(url: string): ['page' | 'form', string] {
  const [, token = '', form] = /\/sandbox\/3ds\/([^/]+)(\/form)?$/.exec(url) ?? [];
  return [form === undefined ? 'page' : 'form', token];
}

async function startSandbox(): Promise<GatewayUnderTest> {
  const file = newFile();
  const opened = [open(file)];
  const gateway = opened[0]!;
  return {
    gateway,
    nowMs: () => clock.nowMs(),
    advance: (ms) => {
      clock.advance(ms);
    },
    answerChallenge: async ({ redirectUrl }, decision) => {
      await gateway.challenges.answer(...tokenIn(redirectUrl), decision);
    },
    totals: async (paymentId) => {
      const books = new SandboxBooks(file);
      const totals = books.countsFor(paymentId);
      books.close();
      return totals;
    },
    restart: async () => {
      await gateway.close();
      opened.push(open(file));
      return opened.at(-1)!;
    },
    close: async () => {
      for (const each of opened) await each.close();
    },
  };
}

describeGatewayContract('the sandbox', startSandbox);

const EUR = 'EUR' as Currency;

function registration(paymentId: string, number = '4111111111111111'): RegisterRequest {
  return {
    paymentId,
    fingerprint: 'f'.repeat(64),
    merchantId: 'merchant_1',
    merchantName: 'Tea & Sons',
    orderId: 'order-1',
    amount: { amountMinor: 1250n, currency: EUR },
    card: { number, expiryMonth: '11', expiryYear: '2031', cvv: '90817', holderName: 'Ada Lovelace' },
    riskData: {
      ipAddress: '203.0.113.77',
      deviceFingerprint: 'device-8d1f',
      geoLocation: { country: 'NZ', city: 'Oamaru' },
    },
    returnUrl: 'https://shop.example/return',
    expiresAtMs: clock.nowMs() + 30 * 60 * 1000,
  };
}

async function authorization(gateway: SandboxGateway, paymentId: string) {
  const { gatewayReference } = await gateway.register(registration(paymentId), NO_LIMIT);
  return { reference: `txn_${paymentId}`, gatewayReference, amount: { amountMinor: 1250n, currency: EUR } };
}

describe('the sandbox’s books', () => {
  it('never hold card data or anything of the customer, in no file', async () => {
    const file = newFile();
    const gateway = open(file);
    for (const [index, card] of Object.keys(SANDBOX_CARDS).entries()) {
      const request = registration(`pay_${index}`, card);
      const { gatewayReference } = await gateway.register(request, NO_LIMIT);
      const call = { reference: `txn_${index}`, gatewayReference, amount: request.amount };
      const limit = new AbortController();
      const answered = gateway.authorize(call, limit.signal).catch(() => undefined);
      await gateway.inquire(call.reference, NO_LIMIT);
      limit.abort();
      await answered;
    }
    const names = readdirSync(join(file, '..'));
    expect(names.sort()).toEqual(['gateway.sqlite', 'gateway.sqlite-shm', 'gateway.sqlite-wal']);
    for (const name of names) {
      const path = join(file, '..', name);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      // In another process: reading the file here would drop SQLite's locks on it.
      const bytes = execFileSync('cat', [path], { maxBuffer: 64 * 1024 * 1024 }).toString('latin1');
      const { card, riskData, fingerprint } = registration('pay_0');
      const secrets = [
        card.cvv,
        card.holderName,
        riskData?.ipAddress,
        riskData?.deviceFingerprint,
        'Oamaru',
        fingerprint,
      ];
      for (const secret of [...Object.keys(SANDBOX_CARDS), ...secrets]) expect(bytes).not.toContain(secret);
    }
    await gateway.close();
  });

  it('are shared by several gateways', async () => {
    const file = newFile();
    const [one, two] = [open(file), open(file)];
    const first = await one.register(registration('pay_shared', '4000000000003220'), NO_LIMIT);
    expect(await two.register(registration('pay_shared', '4000000000003220'), NO_LIMIT)).toEqual(first);
    await two.challenges.answer(...tokenIn(first.nextAction?.fallbackUrl ?? ''), 'approve');
    expect(await one.challengeState(first.gatewayReference, NO_LIMIT)).toBe('succeeded');

    const requests = await Promise.all(Array.from({ length: 20 }, (_, index) => authorization(one, `pay_s${index}`)));
    const outcomes = await Promise.all(
      requests.flatMap((request) => [one.authorize(request, NO_LIMIT), two.authorize(request, NO_LIMIT)]),
    );
    expect(outcomes.every(({ kind }) => kind === 'approved')).toBe(true);
    const books = new SandboxBooks(file);
    expect(books.countsFor('pay_s7').authorizations).toEqual({ count: 1, amountMinor: 1250n });
    expect(books.countsFor('pay_unknown').authorizations).toEqual({ count: 0, amountMinor: 0n });
    books.close();
    await Promise.all([one.close(), two.close()]);
  });

  it('wait for another process that is writing', async () => {
    const file = newFile();
    const gateway = open(file);
    const request = await authorization(gateway, 'pay_busy');
    const writer = spawn(process.execPath, [
      '--eval',
      `const db = new (require('node:sqlite').DatabaseSync)(${JSON.stringify(file)});
       db.exec('BEGIN IMMEDIATE');
       console.log('writing');
       setTimeout(() => { db.exec('COMMIT'); db.close(); }, 200);`,
    ]);
    const ended = once(writer, 'exit');
    await once(writer.stdout, 'data');
    expect(await gateway.authorize(request, NO_LIMIT)).toMatchObject({ kind: 'approved' });
    expect(await ended).toEqual([0, null]);
    await gateway.close();
  });

  it('can be made by several processes at once', async () => {
    const file = newFile();
    // The module imports only Node's own modules, so it runs on its own.
    const program = join(file, '..', '..', 'books-file.js');
    const { code } = transformFileSync(join(__dirname, 'books-file.ts'));
    writeFileSync(program, `${code}; openBooksFile(${JSON.stringify(file)});`);
    const processes = Array.from({ length: 6 }, () => spawn(process.execPath, [program]));
    const exits = await Promise.all(processes.map((child) => once(child, 'exit')));
    expect(exits).toEqual(Array.from({ length: 6 }, () => [0, null]));
    const gateway = open(file);
    expect(await gateway.authorize(await authorization(gateway, 'pay_1'), NO_LIMIT)).toMatchObject({
      kind: 'approved',
    });
    await gateway.close();
  });

  it('are not made by looking for them', () => {
    const file = newFile();
    mkdirSync(join(file, '..'));
    expect(() => new SandboxBooks(file)).toThrow('unable to open database file');
    expect(existsSync(file)).toBe(false);
  });

  it('that stay locked make the gateway unavailable, with nothing done', async () => {
    const file = newFile();
    const gateway = open(file, 1);
    const request = await authorization(gateway, 'pay_locked');
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    expect(gateway.problem()).toBeNull();
    await expect(gateway.authorize(request, NO_LIMIT)).rejects.toThrow(GatewayUnavailableError);
    expect(gateway.problem()).toBe('its books cannot be written');
    other.exec('ROLLBACK');
    other.close();
    // `problem()` made it try again in the next turn of the event loop.
    await new Promise((wake) => setImmediate(wake));
    expect(gateway.problem()).toBeNull();
    expect(await gateway.inquire(request.reference, NO_LIMIT)).toEqual({ kind: 'not-found' });
    expect(await gateway.authorize(request, NO_LIMIT)).toMatchObject({ kind: 'approved' });
    await gateway.close();
  });

  it('are written once for all calls of one turn', async () => {
    const file = newFile();
    const gateway = open(file);
    const pragma = new DatabaseSync(file);
    const dataVersion = () => pragma.prepare('PRAGMA data_version').get()?.['data_version'] as number;
    const before = dataVersion();
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => gateway.register(registration(`pay_${index}`), NO_LIMIT)),
    );
    expect(dataVersion()).toBe(before + 1);
    pragma.close();
    await gateway.close();
  });

  it('carry out what is waiting when they are closed, and nothing after', async () => {
    const file = newFile();
    const gateway = open(file);
    const request = await authorization(gateway, 'pay_closing');
    const waiting = gateway.authorize(request, NO_LIMIT);
    await gateway.close();
    await gateway.close();
    expect(await waiting).toMatchObject({ kind: 'approved' });
    await expect(gateway.authorize(request, NO_LIMIT)).rejects.toThrow(GatewayUnavailableError);
    await expect(gateway.inquire(request.reference, NO_LIMIT)).rejects.toThrow(GatewayUnavailableError);
  });
});

describe('books of another release', () => {
  it('are taken over where they had neither description nor card: open steps go on', async () => {
    const file = newFile();
    const before = open(file);
    const { nextAction } = await before.register(registration('pay_old', '4000000000003220'), NO_LIMIT);
    await before.close();
    const db = new DatabaseSync(file);
    db.exec(`ALTER TABLE challenges DROP COLUMN description; ALTER TABLE challenges DROP COLUMN card_last_four;
      PRAGMA user_version = 1`);
    db.close();

    const after = open(file);
    const token = tokenIn(nextAction?.redirectUrl ?? '');
    expect(after.challenges.find(...token)).toMatchObject({ description: null, cardLastFour: null, state: 'pending' });
    expect(await after.challenges.answer(...token, 'approve')).toMatchObject({ state: 'succeeded' });
    const request = { ...registration('pay_new', '4000000000003220'), description: 'Tea' };
    const { redirectUrl = '' } = (await after.register(request, NO_LIMIT)).nextAction ?? {};
    const kept = { description: 'Tea', cardLastFour: '3220' };
    expect(after.challenges.find(...tokenIn(redirectUrl))).toMatchObject(kept);
    await after.close();
  });

  it('are left alone where it is a newer one', async () => {
    const file = newFile();
    await open(file).close();
    const db = new DatabaseSync(file);
    db.exec('PRAGMA user_version = 4');
    db.close();
    expect(() => open(file)).toThrow(`${file} was made by another release`);
  });
});

describe('notices', () => {
  it('of finished challenges come once, until they are stopped, and a failing listener does no harm', async () => {
    const gateway = open(newFile());
    const told: GatewayNotice[] = [];
    gateway.notices.onNotice(() => {
      throw new Error('a listener in trouble');
    });
    const stop = gateway.notices.onNotice((notice) => told.push(notice));
    const register = async (paymentId: string) => {
      const { nextAction } = await gateway.register(registration(paymentId, '4000000000003220'), NO_LIMIT);
      return tokenIn(nextAction?.redirectUrl ?? '');
    };
    const [first, second] = [await register('pay_1'), await register('pay_2')];
    await gateway.challenges.answer(...first, 'approve');
    await gateway.challenges.answer(...first, 'decline');
    stop();
    await gateway.challenges.answer(...second, 'approve');
    expect(told).toEqual([{ type: 'challenge-finished', paymentId: 'pay_1' }]);
    await gateway.close();
  });

  it('of a refund that is decided later come with its decision, once', async () => {
    const gateway = open(newFile());
    const told: GatewayNotice[] = [];
    gateway.notices.onNotice((notice) => told.push(notice));
    const { gatewayReference } = await gateway.register(registration('pay_late', '4000000000007726'), NO_LIMIT);
    const request = (reference: string) => ({
      reference,
      gatewayReference,
      amount: { amountMinor: 1000n, currency: EUR },
    });
    await gateway.authorize(request('late_auth'), NO_LIMIT);
    await gateway.capture(request('late_capture'), NO_LIMIT);
    const refund = () => gateway.refund(request('late_refund'), NO_LIMIT);
    expect([await refund(), await refund()]).toEqual([{ kind: 'pending' }, { kind: 'pending' }]);
    clock.advance(9_999);
    await Promise.resolve();
    expect(told).toEqual([]);
    clock.advance(1);
    expect(await refund()).toMatchObject({ kind: 'approved' });
    expect(told).toEqual([{ type: 'transaction-decided', paymentId: 'pay_late', reference: 'late_refund' }]);
    await gateway.close();
  });
});
