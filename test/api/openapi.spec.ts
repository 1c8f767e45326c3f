import { randomUUID } from 'node:crypto';
import { AuditorClient, type EventPage } from '../support/auditor-client';
import { useLedger } from '../support/ledger';
import { type MerchantClient, paymentRequest } from '../support/merchant-client';
import { loadOpenApi } from '../support/openapi-conformance';
import { OperatorClient } from '../support/operator-client';
import {
  bodyOf,
  CARDS,
  create,
  createCompleted,
  refund,
  refundRequest,
  untilRefundStatus,
  untilStatus,
} from '../support/payments';
import { sendRaw } from '../support/raw-http';
import { eventually } from '../support/service';
import { WebhookReceiver } from '../support/webhook-receiver';

const ledger = useLedger();
let receiver: WebhookReceiver;
let operator: OperatorClient;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  operator = new OperatorClient(ledger.service);
});
afterAll(() => receiver.stop());

const openApi = () => loadOpenApi(ledger.service.url);
const get = (client: MerchantClient, path: string) => client.send('GET', path, undefined, {}, false);
const post = (client: MerchantClient, path: string, body: unknown) =>
  client.send('POST', path, body, { key: randomUUID() }, true);

describe('the tour of all operations', () => {
  /** Each success that is documented, but for those that need a broken dependency. */
  const NEED_MORE_THAN_A_TOUR = new Set([
    'checkReadiness 503',
    'cancelRebuild 200',
    'retryProjection 202',
    'skipProjectionEvent 202',
  ]);

  it('meets every documented success, each as documented', async () => {
    const client = await operator.register('Tour');
    await payThrough(client);
    await listThrough(client);
    await operate(client);
    await audit(client);
    const fixed = ['merchants', 'operators', 'auditors'].flatMap((audience) =>
      audience === 'merchants' ? ['/openapi.json', '/docs'] : [`/openapi-${audience}.json`, `/docs/${audience}`],
    );
    for (const path of ['/health/live', '/health/ready', '/metrics', ...fixed]) {
      expect((await sendRaw(ledger.service.url, { method: 'GET', path })).status).toBe(200);
    }
    for (const path of fixed) {
      const { headers } = await sendRaw(ledger.service.url, { method: 'GET', path });
      const known = { method: 'GET', path, headers: ['If-None-Match', String(headers['etag'])] };
      expect((await sendRaw(ledger.service.url, known)).status).toBe(304);
    }
    const { documented, seen } = await openApi();
    const successes = documented.filter((pair) => pair.split(' ').length === 2 && !NEED_MORE_THAN_A_TOUR.has(pair));
    expect(successes.filter((pair) => !seen.has(pair))).toEqual([]);
    // A payment expires after half an hour at the earliest.
    const events = Object.keys((await openApi()).document.webhooks).filter((type) => type !== 'payment.expired');
    expect(events.filter((type) => !seen.has(`webhook ${type}`))).toEqual([]);
    await compareFailures();
  });

  /** The examples of failures are in the very words of the service. */
  async function compareFailures(): Promise<void> {
    const { document } = await openApi();
    for (const type of ['payment.failed', 'refund.failed']) {
      const { requestBody } = (document.webhooks[type] as unknown as { post: { requestBody: Shown } }).post;
      const told = receiver.received.find(({ body }) => body.eventType === type);
      expect([type, told?.body.data['error']]).toEqual([
        type,
        requestBody.content['application/json'].example.data.error,
      ]);
    }
  }

  interface Shown {
    readonly content: {
      readonly 'application/json': { readonly example: { readonly data: { readonly error: unknown } } };
    };
  }

  async function payThrough(client: MerchantClient): Promise<void> {
    const change = { notifyUrl: receiver.url };
    const held = { ...change, extra: { captureMethod: 'MANUAL', merchantMetadata: { campaign: 'spring' } } };
    const completed = await createCompleted(client, change);
    const { refundId } = await refund(client, completed.paymentId, '10.00', {
      reason: 'Damaged',
      referenceId: 'rma-1',
    });
    await untilRefundStatus(client, refundId, 'COMPLETED');
    const refusing = await createCompleted(client, { ...change, card: CARDS.refundDeclined });
    const failed = await refund(client, refusing.paymentId, '10.00');
    await untilRefundStatus(client, failed.refundId, 'FAILED');
    const declined = await create(client, { ...change, card: CARDS.declined });
    await untilStatus(client, declined.paymentId, 'FAILED');
    await create(client, { ...change, card: CARDS.challenge });
    const [captured, cancelled] = [await create(client, held), await create(client, held)];
    for (const { paymentId } of [captured, cancelled]) await untilStatus(client, paymentId, 'AUTHORIZED');
    const amount = { value: '100.00', currency: 'EUR' };
    bodyOf(await post(client, `/api/v2/payments/${captured.paymentId}/capture`, { amount }), 202);
    bodyOf(await post(client, `/api/v2/payments/${cancelled.paymentId}/cancel`, { reason: 'Out of stock' }), 202);
    await untilStatus(client, captured.paymentId, 'COMPLETED');
    await untilStatus(client, cancelled.paymentId, 'CANCELLED');
    bodyOf(await client.batchQuery([completed.paymentId, declined.paymentId, cancelled.paymentId, 'nothing']), 200);
    for (const list of ['refunds', 'events']) {
      bodyOf(await get(client, `/api/v2/payments/${completed.paymentId}/${list}`), 200);
    }
  }

  async function listThrough(client: MerchantClient): Promise<void> {
    for (const path of ['payments?limit=2&currency=EUR', 'events?limit=2', 'balances', 'webhook-deliveries?limit=2']) {
      bodyOf(await get(client, `/api/v2/${path}`), 200);
    }
    const delivery = await eventually('a delivery', async () => {
      const page = bodyOf<Page>(await get(client, '/api/v2/webhook-deliveries?status=DELIVERED'), 200);
      return page.items[0];
    });
    bodyOf(await get(client, `/api/v2/webhook-deliveries/${delivery.deliveryId}`), 200);
    bodyOf(await post(client, `/api/v2/webhook-deliveries/${delivery.deliveryId}/redeliver`, undefined), 202);
    const all = await operator.send('GET', '/webhook-deliveries?limit=1');
    const { deliveryId } = bodyOf<Page>(all, 200).items[0]!;
    bodyOf(await operator.send('GET', `/webhook-deliveries/${deliveryId}`), 200);
    bodyOf(await operator.send('POST', `/webhook-deliveries/${deliveryId}/redeliver`), 202);
    const range = { from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z', status: 'EXHAUSTED' };
    bodyOf(await operator.send('POST', '/webhook-deliveries/redeliver', range), 202);
    bodyOf(await operator.send('GET', '/projections'), 200);
    bodyOf(await operator.send('GET', '/damaged-streams'), 200);
    bodyOf(await operator.send('POST', '/projections/balances/rebuild'), 202);
  }

  async function operate(client: MerchantClient): Promise<void> {
    const path = `/merchants/${client.credentials.merchantId}`;
    bodyOf(await operator.send('PATCH', path, { feeSchedule: { basisPoints: 140 } }), 200);
    bodyOf(await operator.send('GET', path), 200);
    bodyOf(await operator.send('GET', '/merchants'), 200);
    for (const change of ['suspend', 'reinstate']) bodyOf(await operator.send('POST', `${path}/${change}`), 200);
    const { tokenId } = bodyOf<{ tokenId: string }>(await operator.send('POST', `${path}/tokens`, {}), 201);
    bodyOf(await operator.send('GET', `${path}/tokens`), 200);
    bodyOf(await operator.send('DELETE', `${path}/tokens/${tokenId}`), 204);
    for (const secret of ['signing', 'webhook']) {
      bodyOf(await operator.send('POST', `${path}/${secret}-secret/rotate`), 200);
    }
  }

  async function audit(client: MerchantClient): Promise<void> {
    const auditor = await AuditorClient.register(ledger.service);
    const { items } = bodyOf<EventPage>(await auditor.get('/events?stream=payment-&limit=1'), 200);
    const { streamId } = items[0]!;
    const { paymentId } = await createCompleted(client);
    const places = ['/head', '/merchants', '/damaged-streams', `/streams/${streamId}/events`, `/payments/${paymentId}`];
    for (const path of places) bodyOf(await auditor.get(path), 200);
    bodyOf(await operator.send('GET', '/auditors'), 200);
    const path = `/auditors/${auditor.auditor.auditorId}`;
    bodyOf(await operator.send('GET', path), 200);
    bodyOf(await operator.send('DELETE', path), 204);
  }

  interface Page {
    readonly items: readonly { readonly deliveryId: string }[];
  }
});

describe('the judge of answers', () => {
  it('refuses what is not documented', async () => {
    const judge = await openApi();
    const headers = [
      ['content-type', 'application/json'],
      ['x-request-id', 'r'],
    ] as const;
    const build = { version: '1.4.0', commit: '1f0c2a9b7d3e' };
    const live =
      (more: typeof headers | readonly (readonly [string, string])[], body: object, status = 200) =>
      () =>
        judge.answer(
          'GET',
          '/health/live',
          status,
          [...headers, ['cache-control', 'no-store'], ...more],
          JSON.stringify(body),
        );
    expect(live([], { status: 'live', ...build })).not.toThrow();
    expect(live([], { status: 'live', ...build, more: 1 })).toThrow('must NOT have additional properties');
    expect(live([], { status: 'dead' })).toThrow('must be equal to one of the allowed values');
    expect(live([['x-new', '1']], { status: 'live', ...build })).toThrow('x-new');
    expect(live([], { status: 'live', ...build }, 202)).toThrow('does not document');
    expect(() => judge.answer('GET', '/health/live', 200, [], '{}')).toThrow('without the header');
    expect(() => judge.webhook([], { eventType: 'payment.lost' })).toThrow('not documented');
  });

  it('judges the clients of these tests', async () => {
    const { seen } = await openApi();
    await ledger.client.createPayment(paymentRequest());
    await ledger.client.refund('pay_unknown', refundRequest('1.00'));
    expect([...seen]).toEqual(expect.arrayContaining(['createPayment 201', 'createRefund 404 PAYMENT_NOT_FOUND']));
  });
});
