import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createHash, randomBytes } from 'node:crypto';
import { MerchantClient } from '../support/merchant-client';
import { OperatorClient } from '../support/operator-client';
import { bodyOf, createCompleted, read } from '../support/payments';
import { refusal } from '../support/refusal';
import { eventually, Service } from '../support/service';

/** A merchant with three captured payments on a log that is changed by hand while the service is stopped. */
async function shopWithPayments() {
  const service = await Service.start();
  const shop = await new OperatorClient(service).register('Shop');
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) ids.push((await createCompleted(shop)).paymentId);
  return { service, shop, ids };
}

const streamOf = (paymentId: string) => `payment-${paymentId.slice('pay_'.length)}`;

/** Stops the service, changes its log, throws the read models away, and starts it again. */
async function afterChange(service: Service, change: (log: DatabaseSync) => void): Promise<Service> {
  await service.stop();
  const log = new DatabaseSync(join(service.dataDir, 'events.sqlite'));
  try {
    change(log);
  } finally {
    log.close();
  }
  for (const end of ['', '-wal', '-shm']) rmSync(join(service.dataDir, `read-models.sqlite${end}`), { force: true });
  return service.restart();
}

const EVENT = `SELECT position FROM events WHERE type = ? AND stream_id = (SELECT id FROM streams WHERE name = ?)`;

function positionOf(log: DatabaseSync, paymentId: string, type: string): number {
  return Number(log.prepare(EVENT).get(type, streamOf(paymentId))!['position']);
}

async function damageOf(service: Service): Promise<readonly string[]> {
  const answer = await new OperatorClient(service).send('GET', '/damaged-streams?limit=100');
  const { items } = bodyOf<{ items: { streamId: string; kind: string; revision: number }[] }>(answer, 200);
  return items.map(({ kind, streamId, revision }) => `${kind} ${streamId} ${revision}`);
}

async function expectDamaged(service: Service, client: MerchantClient, paymentId: string, damage: string) {
  await eventually('the payment to be found damaged', async () => {
    return refusal(await client.payment(paymentId))[1] === 'HISTORY_DAMAGED';
  });
  const refund = client.refund(paymentId, { amount: { value: '1.00', currency: 'EUR' } });
  expect(refusal(await refund)).toEqual([409, 'HISTORY_DAMAGED', []]);
  const listed = await client.send('GET', '/api/v2/payments?limit=100', undefined, {}, false);
  const { items } = bodyOf<{ items: { paymentId: string; status: string }[] }>(listed, 200);
  expect(items.find((item) => item.paymentId === paymentId)?.status).toBe('DAMAGED');
  expect(await damageOf(service)).toContain(`${damage.replace('STREAM', streamOf(paymentId))}`);
}

type Change = readonly [what: string, damage: string, change: (log: DatabaseSync, paymentId: string) => void];

const CHANGES: readonly Change[] = [
  [
    'an amount was changed',
    'FORGED STREAM 3',
    (log, id) => {
      const position = positionOf(log, id, 'PaymentCaptured');
      const { data } = log.prepare('SELECT data FROM events WHERE position = ?').get(position) as { data: Uint8Array };
      const text = Buffer.from(data).toString('utf8');
      const forged = text.replace(/"amountMinor":"\d+"/, '"amountMinor":"999999"');
      expect(forged).not.toBe(text);
      log.prepare('UPDATE events SET data = ? WHERE position = ?').run(Buffer.from(forged), position);
    },
  ],
  [
    'an event was removed',
    'BROKEN STREAM 3',
    (log, id) => {
      log.prepare('DELETE FROM events WHERE position = ?').run(positionOf(log, id, 'PaymentCaptureRequested'));
    },
  ],
  [
    'two events were swapped',
    'FORGED STREAM 2',
    (log, id) => {
      const [one, other] = ['PaymentCaptureRequested', 'PaymentCaptured'].map((type) => positionOf(log, id, type));
      log.exec('CREATE TEMP TABLE kept AS SELECT position AS at, type, id, data, metadata FROM events');
      const swap = log.prepare(
        `UPDATE events SET (type, id, data, metadata) = (SELECT type, id, data, metadata FROM kept WHERE at = ?)
         WHERE position = ?`,
      );
      swap.run(other!, one!);
      swap.run(one!, other!);
    },
  ],
];

describe.each(CHANGES)('where %s', (_what, damage, change) => {
  it('the payment is damaged and nothing else, balances do not follow, and the log stays as it is', async () => {
    const { service, shop, ids } = await shopWithPayments();
    const [victim, sound] = ids;
    const before = bodyOf<{ items: unknown[] }>(
      await shop.send('GET', '/api/v2/balances', undefined, {}, false),
      200,
    ).items;
    const restarted = await afterChange(service, (log) => change(log, victim!));
    try {
      const client = new MerchantClient(restarted.url, shop.credentials);
      await expectDamaged(restarted, client, victim!, damage);
      expect((await read(client, sound!)).status).toBe('COMPLETED');
      expect(JSON.stringify(before)).not.toContain('9999.99');
      const after = await client.send('GET', '/api/v2/balances', undefined, {}, false);
      expect(JSON.stringify(after)).not.toContain('9999.99');
      await createCompleted(client);
    } finally {
      await restarted.stop();
      await restarted.removeData();
    }
  });
});

it('a forged access token opens nothing', async () => {
  const { service, shop, ids } = await shopWithPayments();
  const { merchantId } = shop.credentials;
  const token = `forged-${randomBytes(24).toString('base64url')}`;
  const restarted = await afterChange(service, (log) => {
    const stream = `merchant-${merchantId}`;
    const { position, data } = log
      .prepare(
        `SELECT e.position, e.data FROM events e JOIN streams s ON s.id = e.stream_id
         WHERE s.name = ? AND e.type = 'AccessTokenIssued' ORDER BY e.revision DESC LIMIT 1`,
      )
      .get(stream) as { position: number; data: Uint8Array };
    const issued = JSON.parse(Buffer.from(data).toString('utf8')) as Record<string, unknown>;
    const forged = { ...issued, tokenHash: createHash('sha256').update(token).digest('hex') };
    log
      .prepare(
        `INSERT INTO events
         SELECT (SELECT max(position) + 1 FROM events), stream_id,
                (SELECT max(revision) + 1 FROM events WHERE stream_id = e.stream_id),
                category_id, created, content_type, type, ?, metadata, ?
         FROM events e WHERE position = ?`,
      )
      .run(randomBytes(16), Buffer.from(JSON.stringify(forged)), position);
  });
  try {
    const thief = new MerchantClient(restarted.url, { ...shop.credentials, accessToken: token });
    expect((await thief.payment(ids[0]!)).status).toBe(401);
    await eventually('the merchant to be found damaged', async () =>
      (await damageOf(restarted)).some((damage) => damage.startsWith(`FORGED merchant-${merchantId}`)),
    );
  } finally {
    await restarted.stop();
    await restarted.removeData();
  }
});
