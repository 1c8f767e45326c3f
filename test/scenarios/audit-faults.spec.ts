import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { eventHash, type EventMetadata } from '@app/event-sourcing';
import { sha256Netstrings } from '@app/platform/lifecycle/system-environment';
import { copyOfLog, untilSealed, verify, verifyInPython } from '../support/audited-log';
import { counterfoil } from '../support/cli';
import { MerchantClient } from '../support/merchant-client';
import { createCompleted, refund, untilRefundStatus } from '../support/payments';
import { Service } from '../support/service';
import { appended, remove, replaced, set, texts, WHERE } from '../support/tampered-log';

let service: Service;
let folders: string[];
let key: string;
let first: string;
let second: string;
let merchant: string;
let events: number;

beforeAll(async () => {
  folders = [];
  service = await Service.start();
  const client = new MerchantClient(service.url, service.credentials);
  const ids: string[] = [];
  for (let n = 0; n < 4; n += 1) ids.push((await createCompleted(client)).paymentId);
  await untilSealed({ DATA_DIR: service.dataDir });
  const { refundId } = await refund(client, ids[0]!, '1.00');
  await untilRefundStatus(client, refundId, 'COMPLETED');
  ({ events } = await untilSealed({ DATA_DIR: service.dataDir }));
  await service.stop();
  [first, second] = ids.slice(0, 2).map((id) => id.replace('pay_', 'payment-')) as [string, string];
  merchant = `merchant-${service.credentials.merchantId}`;
  key = join(service.dataDir, 'key.pem');
  writeFileSync(key, (await counterfoil(['audit', 'key'], { DATA_DIR: service.dataDir })).stdout);
});

afterAll(async () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  await service.kill();
  await service.removeData();
});

function copied(change: (log: DatabaseSync) => void = () => undefined): string {
  const folder = copyOfLog(service.dataDir);
  folders.push(folder);
  const log = new DatabaseSync(join(folder, 'events.sqlite'));
  try {
    change(log);
  } finally {
    log.close();
  }
  return folder;
}

/** What is expected: verdict, exit code, stream and revision. */
type Expected = readonly [verdict: string, code: number, streamId: string | null, revision: number | null];

async function expectFound(change: (log: DatabaseSync) => Expected): Promise<void> {
  let expected: Expected | undefined;
  const folder = copied((log) => (expected = change(log)));
  const { report, code, stderr } = await verify({ DATA_DIR: folder }, '--public-key', key);
  expect(stderr).toBe('');
  const [finding] = report.findings;
  expect([report.verdict, code, finding?.streamId, finding?.revision]).toEqual(expected);
  expect(await verifyInPython(folder, { DATA_DIR: folder }, readFileSync(key, 'utf8'))).toMatch(/^FAULT/);
}

it('is intact as it was left, for the verifier in Python too', async () => {
  const folder = copied();
  const { report, code } = await verify({ DATA_DIR: folder }, '--public-key', key);
  expect([report.verdict, code, report.unsealed, report.events]).toEqual(['INTACT', 0, 0, events]);
  const python = await verifyInPython(folder, { DATA_DIR: folder }, readFileSync(key, 'utf8'));
  expect(python).toMatch(new RegExp(`^INTACT ${report.lastSeal?.size} [0-9a-f]{64}$`));
});

describe('on a stopped log that was changed by SQL', () => {
  it.each<readonly [string, (log: DatabaseSync) => Expected]>([
    [
      'an amount',
      (log) => {
        replaced(log, first, 3, /"amountMinor":"\d+"/, '"amountMinor":"999999"');
        return ['CHANGED', 10, first, 3];
      },
    ],
    [
      'a byte',
      (log) => {
        replaced(log, second, 0, /"orderId":"./, '"orderId":"?');
        return ['CHANGED', 10, second, 0];
      },
    ],
    [
      'a merchant',
      (log) => {
        replaced(log, first, 3, /"merchantId":"[^"]+"/, '"merchantId":"mer_2"');
        return ['CHANGED', 10, first, 3];
      },
    ],
    [
      'a time',
      (log) => {
        replaced(log, first, 1, /"recordedAt":"20\d\d/, '"recordedAt":"2031');
        return ['CHANGED', 10, first, 1];
      },
    ],
    [
      'bytes that are no UTF-8',
      (log) => {
        set(log, first, 1, 'data', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]));
        return ['CHANGED', 10, first, 1];
      },
    ],
    [
      'metadata that are no JSON',
      (log) => {
        set(log, first, 2, 'metadata', Buffer.from('{"recordedAt":'));
        return ['FORGED', 14, first, 2];
      },
    ],
    [
      'two captures swapped',
      (log) => {
        const [one, other] = [texts(log, first, 3), texts(log, second, 3)];
        set(log, first, 3, 'data', Buffer.from(other.data));
        set(log, second, 3, 'data', Buffer.from(one.data));
        return ['CHANGED', 10, first, 3];
      },
    ],
    [
      'two events of a payment swapped',
      (log) => {
        log.prepare(`UPDATE events SET revision = -1 WHERE ${WHERE}`).run(first, 1);
        log.prepare(`UPDATE events SET revision = 1 WHERE ${WHERE}`).run(first, 2);
        log.prepare('UPDATE events SET revision = 2 WHERE revision = -1').run();
        return ['MISSING', 11, first, 1];
      },
    ],
    [
      'an event deleted in the middle',
      (log) => {
        remove(log, first, 1);
        return ['MISSING', 11, first, 1];
      },
    ],
    [
      'the end of a payment cut by one',
      (log) => {
        remove(log, second, 3);
        return ['CUT', 13, second, 3];
      },
    ],
    [
      'the end of a payment cut by many',
      (log) => {
        remove(log, second, 1, 3);
        return ['CUT', 13, second, 1];
      },
    ],
    [
      'a stream removed',
      (log) => {
        remove(log, second, 0, 99);
        log.prepare('DELETE FROM streams WHERE name = ?').run(second);
        return ['MISSING', 11, second, 0];
      },
    ],
    [
      'a stream without its name',
      (log) => {
        log.prepare('DELETE FROM streams WHERE name = ?').run(second);
        return ['MISSING', 11, second, 0];
      },
    ],
    [
      'an event of a foreign client in a payment',
      (log) => {
        return ['FORGED', 14, first, appended(log, first, 'PaymentCaptured', '{"amountMinor":"1"}', '{}')];
      },
    ],
    [
      'a forged access token with garbage hashes',
      (log) => {
        const { data, metadata } = texts(log, merchant, 0);
        const forged = metadata.replace(/"(hash|mac|previousHash)":"[^"]*"/g, `"$1":"${'0'.repeat(64)}"`);
        return ['FORGED', 14, merchant, appended(log, merchant, 'AccessTokenIssued', data, forged)];
      },
    ],
    [
      'a seal forged',
      (log) => {
        replaced(log, 'seals', 1, /"signature":"..../, '"signature":"AAAA');
        return ['SEAL_FORGED', 15, 'seals', 1];
      },
    ],
    [
      'a position that the service does not give',
      (log) => {
        log.prepare(`UPDATE events SET position = -7 WHERE ${WHERE}`).run(first, 3);
        return ['FORGED', 14, first, 3];
      },
    ],
    [
      'the seals removed',
      (log) => {
        remove(log, 'seals', 0, 99);
        return ['MISSING', 11, null, null];
      },
    ],
  ])('%s: is found and named', (_what, change) => expectFound(change));

  it('the last five events, seals and all: found with the trusted head, and only with it', async () => {
    const head = join(service.dataDir, 'head.json');
    const whole = { DATA_DIR: service.dataDir };
    expect((await verify(whole, '--public-key', key, '--save-head', head)).code).toBe(0);
    expect((await verify(whole, '--trusted-head', head)).report).toMatchObject({ verdict: 'INTACT' });
    const cut = copied(
      (log) => void log.exec('DELETE FROM events WHERE position > (SELECT max(position) FROM events) - 5'),
    );
    const alone = await verify({ DATA_DIR: cut }, '--public-key', key);
    expect(alone.report.verdict).toBe('INTACT');
    expect(alone.report.notExcluded.join()).toMatch(/cut off.*no --trusted-head/);
    expect(await verify({ DATA_DIR: cut }, '--trusted-head', head)).toMatchObject({
      code: 13,
      report: { verdict: 'CUT' },
    });
  });
});

describe('a log that cannot be read', () => {
  it('is said to be unreadable if it is truncated', async () => {
    for (const share of [0.02, 0.5, 0.9]) {
      const folder = copied();
      const file = join(folder, 'events.sqlite');
      truncateSync(file, Math.floor(readFileSync(file).length * share));
      const { code, stdout, stderr } = await counterfoil(['audit', 'verify'], { DATA_DIR: folder });
      expect([code, stdout + stderr]).toEqual([17, expect.stringMatching(/^UNREADABLE: .*(malformed|not a database)/)]);
    }
  });

  it('is said to be unreadable without rights, and missing where there is none', async () => {
    const folder = copied();
    const none = join(folder, 'none');
    mkdirSync(none);
    const missing = await counterfoil(['audit', 'verify', '--log', none], {});
    expect([missing.code, missing.stderr]).toEqual([1, `There is no event log in ${none}.\n`]);
    chmodSync(join(folder, 'events.sqlite'), 0o000);
    // Rights do not hold back root, so that runs it as somebody else, who has to be able to read the program.
    const uid = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    chmodSync(folder, 0o755);
    const program = [process.execPath, 'dist/apps/cli/main.js', 'audit', 'verify', '--log', folder] as const;
    const { status, stderr } = spawnSync(program[0], program.slice(1), { ...uid, encoding: 'utf8', env: {} });
    expect([status, stderr]).toEqual([17, expect.stringMatching(/^UNREADABLE: .*unable to open|EACCES/)]);
  });
});

it('MACs are checked with the master key, which finds what a stranger wrote in the right form', async () => {
  const folder = copied((log) => {
    const { data, metadata } = texts(log, second, 3);
    const revision = appended(log, second, 'PaymentCaptured', data, metadata);
    const [{ id }] = log.prepare(`SELECT lower(hex(id)) AS id FROM events WHERE ${WHERE}`).all(second, revision) as [
      { id: string },
    ];
    const uuid = id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    const before = JSON.parse(metadata) as EventMetadata;
    // Everything is right but the MAC, which is copied.
    const forged = { ...before, previousHash: before.hash };
    const event = { streamId: second, revision, id: uuid, type: 'PaymentCaptured', data, metadata: forged };
    const hash = eventHash(sha256Netstrings, event);
    set(log, second, revision, 'metadata', Buffer.from(JSON.stringify({ ...forged, hash })));
  });
  expect(existsSync(join(service.dataDir, 'master.key'))).toBe(true);
  // Without the key, nothing of it shows until the service seals again, and names it.
  expect((await verify({ DATA_DIR: folder }, '--public-key', key)).report.verdict).toBe('INTACT');
  copyFileSync(join(service.dataDir, 'master.key'), join(folder, 'master.key'));
  const { report } = await verify({ DATA_DIR: folder });
  expect(report.findings[0]).toMatchObject({ kind: 'FORGED', streamId: second, revision: 4 });
  expect((await verify({ DATA_DIR: service.dataDir })).report.notExcluded.join()).not.toMatch(/MAC/);
});
