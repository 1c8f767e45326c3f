import { randomUUID } from 'node:crypto';
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
import { signatureOf } from '../support/signing';
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
    for (const path of ['/health/live', '/health/ready', '/metrics', '/openapi.json', '/docs']) {
      expect((await sendRaw(ledger.service.url, { method: 'GET', path })).status).toBe(200);
    }
    const { documented, seen } = await openApi();
    const successes = documented.filter((pair) => pair.split(' ').length === 2 && !NEED_MORE_THAN_A_TOUR.has(pair));
    expect(successes.filter((pair) => !seen.has(pair))).toEqual([]);
    // A payment expires after half an hour at the earliest.
    const events = Object.keys((await openApi()).document.webhooks).filter((type) => type !== 'payment.expired');
    expect(events.filter((type) => !seen.has(`webhook ${type}`))).toEqual([]);
    await compareFailures();
  }, 60_000);

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
    bodyOf(await post(client, `/api/v2/webhook-deliveries/${delivery.deliveryId}/redeliver`, undefined), 202);
    const all = await operator.send('GET', '/webhook-deliveries?limit=1');
    const { deliveryId } = bodyOf<Page>(all, 200).items[0]!;
    bodyOf(await operator.send('POST', `/webhook-deliveries/${deliveryId}/redeliver`), 202);
    const range = { from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z', status: 'EXHAUSTED' };
    bodyOf(await operator.send('POST', '/webhook-deliveries/redeliver', range), 202);
    bodyOf(await operator.send('GET', '/projections'), 200);
    bodyOf(await operator.send('POST', '/projections/balances/rebuild'), 202);
  }

  async function operate(client: MerchantClient): Promise<void> {
    const path = `/merchants/${client.credentials.merchantId}`;
    bodyOf(await operator.send('PATCH', path, { feeSchedule: { basisPoints: 140 } }), 200);
    bodyOf(await operator.send('GET', path), 200);
    const { tokenId } = bodyOf<{ tokenId: string }>(await operator.send('POST', `${path}/tokens`, {}), 201);
    bodyOf(await operator.send('GET', `${path}/tokens`), 200);
    bodyOf(await operator.send('DELETE', `${path}/tokens/${tokenId}`), 204);
    for (const secret of ['signing', 'webhook']) {
      bodyOf(await operator.send('POST', `${path}/${secret}-secret/rotate`), 200);
    }
  }

  interface Page {
    readonly items: readonly { readonly deliveryId: string }[];
  }
});

describe('what is refused before an operation begins', () => {
  type Change = Readonly<Record<string, string | null>>;
  const SIGNED: Change = { 'X-Timestamp': new Date().toISOString() };

  /** What to change of a good request to be given the code. */
  const RECIPES: Readonly<
    Record<string, { readonly headers?: Change; readonly body?: string; readonly query?: string }>
  > = {
    UNAUTHENTICATED: { headers: { Authorization: null } },
    EXPECTATION_FAILED: { headers: { Expect: 'miracles' } },
    REQUEST_ID_INVALID: { headers: { 'X-Request-ID': 'two words' } },
    MERCHANT_MISMATCH: { headers: { 'X-Merchant-ID': 'mer_other' } },
    SIGNATURE_INVALID: { headers: { ...SIGNED, 'X-Signature': `sha256=${'0'.repeat(64)}` } },
    TIMESTAMP_OUT_OF_RANGE: { headers: { 'X-Timestamp': '2001-01-01T00:00:00Z' } },
    MALFORMED_JSON: { body: '{' },
    MEDIA_TYPE_NOT_SUPPORTED: { headers: { 'Content-Type': 'text/plain' } },
    IDEMPOTENCY_KEY_MISSING: { headers: { 'Idempotency-Key': null } },
    IDEMPOTENCY_KEY_INVALID: { headers: { 'Idempotency-Key': 'two words' } },
    VALIDATION_FAILED: { body: '{"unknown":1}', query: '?unknown=1&limit=0' },
    ROUTE_NOT_FOUND: {},
    CURSOR_INVALID: { query: '?cursor=AAAA&after=evt_unknown' },
  };
  const BAD_CURSOR_IN_BODY = JSON.stringify({
    from: '2020-01-01T00:00:00Z',
    to: '2020-01-02T00:00:00Z',
    status: 'EXHAUSTED',
    cursor: 'AAAA',
  });

  interface Operation {
    readonly operationId: string;
    readonly method: string;
    readonly path: string;
    readonly body: unknown;
    readonly isOperators: boolean;
    readonly queryNames: readonly string[];
  }

  async function operations(): Promise<readonly Operation[]> {
    const { document } = await openApi();
    return Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => {
        // eslint-disable-next-line @typescript-eslint/no-explicit-any
        const { operationId, security, parameters, requestBody } = operation as any;
        return {
          operationId,
          method: method.toUpperCase(),
          path: path.replaceAll(/\{[A-Za-z]+\}/g, 'unknown'),
          body: requestBody?.content['application/json'].example,
          isOperators: security[0] !== undefined && 'operatorToken' in security[0],
          queryNames: parameters
            .filter((one: { in: string }) => one.in === 'query')
            .map((one: { name: string }) => one.name),
        };
      }),
    );
  }

  function ask(operation: Operation, code: string) {
    const { method, body, isOperators, queryNames } = operation;
    const recipe = RECIPES[code] ?? {};
    const { accessToken, merchantId, signingSecret } = ledger.client.credentials;
    const wanted = [...(recipe.query ?? '').slice(1).split('&')].filter((pair) => {
      return code === 'VALIDATION_FAILED' || queryNames.includes(pair.split('=')[0] ?? '');
    });
    const place = placeFor(operation.path, code);
    const path = place + (queryNames.length === 0 ? '' : `?${wanted.join('&')}`);
    const good = body === undefined ? '' : JSON.stringify(body);
    const changed = code === 'CURSOR_INVALID' && body !== undefined ? BAD_CURSOR_IN_BODY : recipe.body;
    const sent = body === undefined ? '' : (changed ?? good);
    const headers: Record<string, string | null> = {
      Authorization: `Bearer ${isOperators ? ledger.service.operatorToken : accessToken}`,
      'X-Merchant-ID': merchantId,
      'X-Timestamp': new Date().toISOString(),
      'Idempotency-Key': randomUUID(),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...recipe.headers,
    };
    headers['X-Signature'] ??= signatureOf(signingSecret, {
      method,
      path,
      timestamp: headers['X-Timestamp'] ?? '',
      merchantId: headers['X-Merchant-ID'] ?? '',
      idempotencyKey: headers['Idempotency-Key'] ?? '',
      body: sent,
    });
    const flat = Object.entries(headers).flatMap(([name, value]) => (value === null ? [] : [name, value]));
    return sendRaw(ledger.service.url, { method, path, headers: flat, ...(method === 'GET' ? {} : { body: sent }) });
  }

  function placeFor(path: string, code: string): string {
    switch (code) {
      case 'CURSOR_INVALID':
        // A cursor belongs to a list that exists.
        return path.replace('merchants/unknown', `merchants/${ledger.client.credentials.merchantId}`);
      case 'ROUTE_NOT_FOUND':
        return path.replace('unknown', '%75nknown');
      default:
        return path;
    }
  }

  it.each(Object.keys(RECIPES))(
    'is answered with %s wherever that is documented, and nowhere else',
    async (code) => {
      const { documented } = await openApi();
      for (const operation of await operations()) {
        const pair = documented.find((one) => one.startsWith(`${operation.operationId} `) && one.endsWith(` ${code}`));
        const answer = await ask(operation, code);
        const [status, given] = [answer.status, answer.status < 400 ? undefined : JSON.parse(answer.text).error.code];
        if (pair === undefined) expect([operation.operationId, given]).not.toEqual([operation.operationId, code]);
        else expect(`${operation.operationId} ${status} ${given}`).toBe(pair);
      }
    },
    60_000,
  );

  it('is answered with SCOPE_MISSING wherever a scope is asked for', async () => {
    const { merchantId } = ledger.client.credentials;
    const tokens = await Promise.all(
      ['payments:read', 'webhooks:manage'].map(async (scope) =>
        bodyOf<{ accessToken: string }>(
          await operator.send('POST', `/merchants/${merchantId}/tokens`, { scopes: [scope] }),
          201,
        ),
      ),
    );
    const { documented, seen } = await openApi();
    for (const { method, path, isOperators } of await operations()) {
      if (isOperators || !path.startsWith('/api/')) continue;
      for (const { accessToken } of tokens) {
        const headers = ['Authorization', `Bearer ${accessToken}`, 'X-Merchant-ID', merchantId];
        await sendRaw(ledger.service.url, { method, path, headers, ...(method === 'GET' ? {} : { body: '' }) });
      }
    }
    const pairs = documented.filter((pair) => pair.endsWith(' SCOPE_MISSING'));
    expect(pairs.filter((pair) => !seen.has(pair))).toEqual([]);
  });

  it('tells of what does not exist, wherever an identifier stands in the path', async () => {
    const { documented, seen } = await openApi();
    for (const operation of await operations()) await ask(operation, 'NOTHING_WRONG');
    const pairs = documented.filter((pair) => /^\w+ 404 (?!ROUTE_NOT_FOUND|TOKEN_NOT_FOUND)/.test(pair));
    expect(pairs.filter((pair) => !seen.has(pair))).toEqual([]);
  });
});

describe('the judge of answers', () => {
  it('refuses what is not documented', async () => {
    const judge = await openApi();
    const headers = [
      ['content-type', 'application/json'],
      ['x-request-id', 'r'],
    ] as const;
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
    expect(live([], { status: 'live' })).not.toThrow();
    expect(live([], { status: 'live', more: 1 })).toThrow('must NOT have additional properties');
    expect(live([], { status: 'dead' })).toThrow('must be equal to one of the allowed values');
    expect(live([['x-new', '1']], { status: 'live' })).toThrow('x-new');
    expect(live([], { status: 'live' }, 202)).toThrow('does not document');
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
