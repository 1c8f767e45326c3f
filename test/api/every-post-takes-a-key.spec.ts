import { randomUUID } from 'node:crypto';
import { readLog } from '../support/event-log';
import { useLedger } from '../support/ledger';
import type { Answer, MerchantClient } from '../support/merchant-client';
import type { DeliveryPage } from '../support/deliveries';
import { loadOpenApi } from '../support/openapi-conformance';
import { operationsOf } from '../support/operations';
import { OperatorClient } from '../support/operator-client';
import { bodyOf, createCompleted } from '../support/payments';
import { refusal } from '../support/refusal';
import { eventually } from '../support/service';
import { WebhookReceiver } from '../support/webhook-receiver';

const ledger = useLedger();
let operator: OperatorClient;
let merchant: MerchantClient;
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await WebhookReceiver.start(() => 204);
});
afterAll(() => receiver.stop());
beforeEach(async () => {
  operator = new OperatorClient(ledger.service);
  merchant = await operator.register('Shop');
});

const idOf = () => merchant.credentials.merchantId;
const post = (path: string, key: string, body?: unknown) => operator.send('POST', path, body, key);

/** What every repetition of an answer has to be. */
function expectReplay(first: Answer, again: Answer): void {
  expect([again.status, again.text]).toEqual([first.status, first.text]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
}

it.each(['signing', 'webhook'])(
  'a rotation of the %s secret is made once, and shows the same secret',
  async (which) => {
    const key = randomUUID();
    const path = `/merchants/${idOf()}/${which}-secret/rotate`;
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => post(path, key)));
    expect(new Set([first, ...others].map((answer) => answer!.text)).size).toBe(1);
    expect([first, ...others].filter((one) => one!.headers.get('idempotent-replayed') === 'true')).toHaveLength(4);
    const other = await post(path, randomUUID());
    expect(other.text).not.toBe(first!.text);
    expectReplay(first!, await post(path, key));
    const rotations = (await readLog(ledger.service.dataDir)).filter(
      ({ streamId, type }) => streamId === `merchant-${idOf()}` && type.endsWith('SecretRotated'),
    );
    expect(rotations).toHaveLength(2);
  },
);

it('a token is issued once, and shown again to whoever has the key; the log has nothing of it in clear', async () => {
  const key = randomUUID();
  const path = `/merchants/${idOf()}/tokens`;
  const first = await post(path, key, { scopes: ['payments:read'] });
  const { accessToken, tokenId } = bodyOf<{ accessToken: string; tokenId: string }>(first, 201);
  expectReplay(first, await post(path, key, { scopes: ['payments:read'] }));
  expect(refusal(await post(path, key, { scopes: ['payments:write'] }))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED', []]);
  const listed = bodyOf<{ items: { tokenId: string }[] }>(await operator.send('GET', path), 200);
  expect(listed.items.filter((token) => token.tokenId === tokenId)).toHaveLength(1);
  expect(listed.items).toHaveLength(2);
  const texts = (await readLog(ledger.service.dataDir)).map(({ data, metadata }) => data + metadata).join('\n');
  for (const secret of [accessToken, key]) expect(texts).not.toContain(secret);
});

it.each(['tokens', 'signing-secret/rotate'])(
  '%s: a repetition with `{}` is that of a request without a body',
  async (what) => {
    const path = `/merchants/${idOf()}/${what}`;
    for (const [one, other] of [
      [undefined, {}],
      [{}, undefined],
    ]) {
      const key = randomUUID();
      const first = await post(path, key, one);
      expect([200, 201]).toContain(first.status);
      expectReplay(first, await post(path, key, other));
    }
  },
);

it('a merchant is suspended and reinstated once for each key', async () => {
  const [suspending, reinstating] = [randomUUID(), randomUUID()];
  const path = `/merchants/${idOf()}`;
  const suspended = await post(`${path}/suspend`, suspending, { reason: 'Fraud' });
  expect(bodyOf(suspended, 200)).toMatchObject({ status: 'SUSPENDED', suspensionReason: 'Fraud' });
  const reinstated = await post(`${path}/reinstate`, reinstating, { reason: 'Cleared' });
  expect(bodyOf(reinstated, 200)).toMatchObject({ status: 'ACTIVE' });
  // A late retry of the suspension does not suspend the merchant again.
  expectReplay(suspended, await post(`${path}/suspend`, suspending, { reason: 'Fraud' }));
  expectReplay(reinstated, await post(`${path}/reinstate`, reinstating, { reason: 'Cleared' }));
  expect(bodyOf(await operator.send('GET', path), 200)).toMatchObject({ status: 'ACTIVE' });
  for (const [change, key] of [
    ['suspend', suspending],
    ['reinstate', reinstating],
  ] as const) {
    const reused = await post(`${path}/${change}`, key, { reason: 'Another' });
    expect(refusal(reused)).toEqual([422, 'IDEMPOTENCY_KEY_REUSED', []]);
  }
});

it('a request that was refused leaves its key free for one that is right', async () => {
  const key = randomUUID();
  const path = `/merchants/${idOf()}/tokens`;
  const past = await post(path, key, { expiresAt: '2020-01-01T00:00:00Z' });
  expect(refusal(past)).toEqual([400, 'VALIDATION_FAILED', ['expiresAt: INVALID_FORMAT']]);
  bodyOf(await post(path, key, {}), 201);
});

it('a merchant is registered once, with the same credentials, and a made-up id is the same, too', async () => {
  const key = randomUUID();
  const [first, again] = [await post('/merchants', key, { name: 'A' }), await post('/merchants', key, { name: 'A' })];
  bodyOf(first, 201);
  expectReplay(first, again);
  expect(refusal(await post('/merchants', key, { name: 'B' }))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED', []]);
  const named = { merchantId: `m_${randomUUID().replaceAll('-', '')}`, name: 'A' };
  const answers = await Promise.all(Array.from({ length: 4 }, () => post('/merchants', `${key}-2`, named)));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(refusal(await post('/merchants', `${key}-3`, named))).toEqual([409, 'MERCHANT_EXISTS', []]);
});

it('five repetitions of a redelivery send one webhook, singly and by range', async () => {
  const { paymentId } = await createCompleted(merchant, { notifyUrl: receiver.url });
  const sent = (count: number) =>
    eventually(`${count} webhooks`, async () => receiver.of(paymentId).length >= count && receiver.of(paymentId));
  await sent(1);
  const path = '/api/v2/webhook-deliveries';
  const delivered = () =>
    eventually('the delivery', async () => {
      const listed = await merchant.send('GET', path, undefined, {}, false);
      const [delivery] = bodyOf<DeliveryPage>(listed, 200).items;
      return delivery?.status === 'DELIVERED' && delivery;
    });
  const { deliveryId } = await delivered();
  const again = { key: randomUUID() };
  const redeliver = () => merchant.send('POST', `${path}/${deliveryId}/redeliver`, undefined, again, false);
  const first = await redeliver();
  expect(first.status).toBe(202);
  for (let time = 0; time < 4; time += 1) expectReplay(first, await redeliver());
  await sent(2);
  await delivered();
  expectReplay(first, await redeliver());
  const range = { merchantId: idOf(), from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z', status: 'DELIVERED' };
  const key = randomUUID();
  const ranged = await post('/webhook-deliveries/redeliver', key, range);
  expect(bodyOf(ranged, 202)).toEqual({ requested: 1, nextCursor: null });
  for (let time = 0; time < 4; time += 1) expectReplay(ranged, await post('/webhook-deliveries/redeliver', key, range));
  await sent(3);
  await delivered();
  expectReplay(ranged, await post('/webhook-deliveries/redeliver', key, range));
  const events = (await readLog(ledger.service.dataDir)).filter(
    ({ streamId }) => streamId === `webhookDelivery-${deliveryId.slice(4)}`,
  );
  expect(events.filter(({ type }) => type === 'WebhookRedeliveryRequested')).toHaveLength(2);
});

it('a rebuild of a projection is begun once', async () => {
  const key = randomUUID();
  const [first, second] = await Promise.all([
    post('/projections/balances/rebuild', key),
    post('/projections/balances/rebuild', key),
  ]);
  expect([first.status, second.text]).toEqual([202, first.text]);
  expectReplay(first, await post('/projections/balances/rebuild', key));
});

it('what changes nothing takes a key, and a malformed key is refused everywhere', async () => {
  const body = { paymentIds: ['pay_x'] };
  const query = (options: { readonly key: string }) =>
    merchant.send('POST', '/api/v2/payments/batch-query', body, options, false);
  const key = { key: randomUUID() };
  expect((await query(key)).status).toBe(200);
  expect((await query(key)).headers.get('idempotent-replayed')).toBeNull();
  const posts = operationsOf((await loadOpenApi(ledger.service.url)).document).filter(
    ({ method }) => method === 'POST',
  );
  expect(posts.length).toBeGreaterThan(12);
  for (const { path, headerNames } of posts)
    expect([path, headerNames]).toEqual([path, expect.arrayContaining(['Idempotency-Key'])]);
  const malformed = await post(`/merchants/${idOf()}/tokens`, 'a b', {});
  expect(refusal(malformed)).toEqual([400, 'IDEMPOTENCY_KEY_INVALID', []]);
});
