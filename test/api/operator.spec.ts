import { useLedger } from '../support/ledger';
import type { MerchantClient } from '../support/merchant-client';
import { paymentRequest } from '../support/merchant-client';
import { clientWith, OperatorClient } from '../support/operator-client';
import { bodyOf, createCompleted, idPattern, refundRequest, TIME } from '../support/payments';
import { refusal } from '../support/refusal';
import { eventually } from '../support/service';
import { expectedSignatures, WebhookReceiver } from '../support/webhook-receiver';

const NO_PAYMENT = `pay_${'0'.repeat(26)}`;

interface IssuedToken {
  readonly tokenId: string;
  readonly accessToken: string;
  readonly note: string | null;
  readonly scopes: readonly string[];
  readonly createdAt: string;
  readonly expiresAt: string | null;
}

interface TokenPage {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly nextCursor: string | null;
}

const receivers: WebhookReceiver[] = [];
afterAll(() => Promise.all(receivers.map((receiver) => receiver.stop())));

const ledger = useLedger();
let operator: OperatorClient;
let merchant: MerchantClient;

beforeEach(async () => {
  operator = new OperatorClient(ledger.service);
  merchant = await operator.register('Shop');
});

const path = (rest: string, merchantId = merchant.credentials.merchantId) => `/merchants/${merchantId}${rest}`;

async function issue(body: unknown = {}): Promise<IssuedToken> {
  return bodyOf(await operator.send('POST', path('/tokens'), body), 201);
}

async function tokens(query = ''): Promise<TokenPage> {
  return bodyOf(await operator.send('GET', path(`/tokens${query}`)), 200);
}

const bearing = ({ accessToken }: IssuedToken) => clientWith(merchant, { accessToken });

describe('an access token', () => {
  it('has every scope and no end unless something else is said, and is shown once', async () => {
    const issued = await issue();
    expect(issued).toEqual({
      tokenId: expect.stringMatching(idPattern('tok')),
      accessToken: expect.stringMatching(/^cft_[A-Za-z0-9_-]{43}$/),
      name: null,
      scopes: ['payments:write', 'payments:read', 'refunds:write', 'webhooks:manage'],
      createdAt: expect.stringMatching(TIME),
      expiresAt: null,
      note: expect.stringContaining('has every scope and never expires'),
    });
    await createCompleted(bearing(issued));
    const answer = await operator.send('GET', path('/tokens'));
    expect(answer.text).not.toContain(issued.accessToken);
    const { accessToken: _shownOnce, note: _toldOnce, ...described } = issued;
    const { items, nextCursor } = answer.body as unknown as TokenPage;
    expect(items[0]).toEqual({
      ...described,
      revokedAt: null,
      lastUsedAt: expect.stringMatching(/:00\.000Z$/),
      usesKnownSince: expect.stringMatching(TIME),
    });
    expect([items.length, nextCursor]).toEqual([2, null]);
  });

  it('has the name that it was given, and is known to be unused while it is', async () => {
    const issued = await issue({ name: 'till-3' });
    expect(issued).toMatchObject({ name: 'till-3' });
    const { items } = await tokens();
    expect(items[0]).toMatchObject({ name: 'till-3', lastUsedAt: null, usesKnownSince: expect.stringMatching(TIME) });
    expect(items[1]).toMatchObject({ name: null });
  });

  it('says plainly what it may that nobody asked for, the first one of a merchant too', async () => {
    const expiresAt = '2099-01-01T00:00:00Z';
    const scopes = ['payments:read'];
    const note = async (body: object) => (await issue(body)).note;
    expect(await note({ scopes, expiresAt })).toBeNull();
    expect(await note({ scopes })).toMatch(/^This access token never expires: .* until it is revoked/);
    expect(await note({ expiresAt })).toMatch(/^This access token has every scope: .* until then/);
    const registered = bodyOf<{ note: string }>(await operator.send('POST', '/merchants', { name: 'Shop' }), 201);
    expect(registered.note).toContain('has every scope and never expires');
  });

  it('opens what its scopes name, and nothing else', async () => {
    const reader = bearing(await issue({ scopes: ['payments:read'] }));
    const manager = bearing(await issue({ scopes: ['webhooks:manage'] }));
    const list = (client: MerchantClient) => client.send('GET', '/api/v2/webhook-deliveries', undefined, {}, false);
    expect(refusal(await reader.payment(NO_PAYMENT))[1]).toBe('PAYMENT_NOT_FOUND');
    expect((await list(manager)).status).toBe(200);
    for (const refused of [
      await reader.createPayment(paymentRequest()),
      await reader.refund(NO_PAYMENT, refundRequest('1.00')),
      await list(reader),
      await manager.payment(NO_PAYMENT),
    ]) {
      expect(refusal(refused)).toEqual([403, 'SCOPE_MISSING', []]);
    }
  });

  it('ends when it was said to', async () => {
    const expiresAt = new Date(Date.now() + 1_500).toISOString();
    const issued = await issue({ expiresAt });
    expect(issued.expiresAt).toBe(expiresAt);
    const client = bearing(issued);
    expect((await client.payment(NO_PAYMENT)).status).toBe(404);
    const refused = await eventually('the token to expire', async () => {
      const answer = await client.payment(NO_PAYMENT);
      return answer.status === 401 && answer;
    });
    expect(refusal(refused)).toEqual([401, 'UNAUTHENTICATED', []]);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
  });

  it('that is revoked lets nobody in from then on, however often that is asked for', async () => {
    const issued = await issue();
    const client = bearing(issued);
    expect((await client.payment(NO_PAYMENT)).status).toBe(404);
    for (let times = 0; times < 2; times += 1) {
      const answer = await operator.send('DELETE', path(`/tokens/${issued.tokenId}`));
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect((await client.payment(NO_PAYMENT)).status).toBe(401);
    }
    const { items } = await tokens();
    expect(items[0]).toMatchObject({ tokenId: issued.tokenId, revokedAt: expect.stringMatching(TIME) });
    expect((await merchant.payment(NO_PAYMENT)).status).toBe(404);
  });

  it('is asked for in the documented form', async () => {
    const past = new Date(Date.now() - 1_000).toISOString();
    const cases: readonly (readonly [unknown, string])[] = [
      [{ scopes: [] }, 'scopes: INVALID_FORMAT'],
      [{ scopes: ['payments:read', 'payments:read'] }, 'scopes: INVALID_FORMAT'],
      [{ scopes: ['payments:delete'] }, 'scopes[0]: INVALID_FORMAT'],
      [{ scopes: 'payments:read' }, 'scopes: INVALID_FORMAT'],
      [{ expiresAt: '2030-02-30T00:00:00Z' }, 'expiresAt: INVALID_FORMAT'],
      [{ expiresAt: past }, 'expiresAt: INVALID_FORMAT'],
      [{ expires: past }, 'expires: UNKNOWN_FIELD'],
      [{ name: '' }, 'name: INVALID_FORMAT'],
      [{ name: 'x'.repeat(81) }, 'name: TOO_LONG'],
      [{ name: 'till 4111-1111-1111-1111' }, 'name: CARD_DATA_NOT_ALLOWED'],
    ];
    for (const [body, problem] of cases) {
      const answer = await operator.send('POST', path('/tokens'), body);
      expect(refusal(answer)).toEqual([400, 'VALIDATION_FAILED', [problem]]);
    }
    expect((await tokens()).items).toHaveLength(1);
  });

  it('is listed page by page, the newest first', async () => {
    const newest: string[] = [];
    for (let count = 0; count < 3; count += 1) newest.unshift((await issue()).tokenId);
    const seen: unknown[] = [];
    let query = '?limit=1';
    for (;;) {
      const { items, nextCursor } = await tokens(query);
      seen.push(...items.map(({ tokenId }) => tokenId));
      if (nextCursor === null) break;
      query = `?limit=1&cursor=${nextCursor}`;
    }
    expect(seen.slice(0, 3)).toEqual(newest);
    expect(seen).toHaveLength(4);
    const other = await operator.register('Another');
    const strange = await operator.send('GET', path(`/tokens${query}`, other.credentials.merchantId));
    expect(refusal(strange)).toEqual([400, 'CURSOR_INVALID', []]);
  });
});

describe('a signing secret', () => {
  it('and the one before it sign requests while the grace lasts, then the new one alone', async () => {
    bodyOf(await operator.send('PATCH', path(''), { rotationGraceSeconds: 2 }), 200);
    const rotated = bodyOf<{ signingSecret: string; previousSecretExpiresAt: string }>(
      await operator.send('POST', path('/signing-secret/rotate')),
      200,
    );
    expect(rotated).toEqual({
      merchantId: merchant.credentials.merchantId,
      signingSecret: expect.stringMatching(/^cfs_[A-Za-z0-9_-]{43}$/),
      previousSecretExpiresAt: expect.stringMatching(TIME),
    });
    const renewed = clientWith(merchant, { signingSecret: rotated.signingSecret });
    const statuses = [merchant, renewed].map((client) => client.createPayment(paymentRequest()));
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([201, 201]);
    const refused = await eventually('the old secret to end', async () => {
      const answer = await merchant.createPayment(paymentRequest());
      return answer.status === 401 && answer;
    });
    expect(refusal(refused)).toEqual([401, 'SIGNATURE_INVALID', []]);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(rotated.previousSecretExpiresAt));
    expect((await renewed.createPayment(paymentRequest())).status).toBe(201);
  });
});

describe('a webhook secret', () => {
  const rotate = async () =>
    bodyOf<{ webhookSecret: string }>(await operator.send('POST', path('/webhook-secret/rotate')), 200).webhookSecret;

  async function webhookOfNewPayment() {
    const receiver = await WebhookReceiver.start();
    receivers.push(receiver);
    const { paymentId } = await createCompleted(merchant, { notifyUrl: receiver.url });
    return eventually('the webhook', async () => receiver.of(paymentId)[0]);
  }

  it('that was replaced signs X-Signature in its grace, and both sign webhook-signature', async () => {
    const renewed = await rotate();
    const webhook = await webhookOfNewPayment();
    const before = expectedSignatures(merchant.credentials.webhookSecret, webhook);
    const now = expectedSignatures(renewed, webhook);
    expect(webhook.headers['x-signature']).toBe(before.xSignature);
    expect(webhook.headers['webhook-signature']).toBe(`${now.webhookSignature} ${before.webhookSignature}`);
  });

  it('signs alone where no grace was given', async () => {
    bodyOf(await operator.send('PATCH', path(''), { rotationGraceSeconds: 0 }), 200);
    const renewed = await rotate();
    const webhook = await webhookOfNewPayment();
    const now = expectedSignatures(renewed, webhook);
    expect(webhook.headers).toMatchObject({
      'x-signature': now.xSignature,
      'webhook-signature': now.webhookSignature,
    });
  });
});

describe('the operator API', () => {
  const operations: readonly (readonly [string, string, unknown])[] = [
    ['PATCH', '', {}],
    ['GET', '/tokens', undefined],
    ['POST', '/tokens', {}],
    ['DELETE', `/tokens/tok_${'0'.repeat(26)}`, undefined],
    ['POST', '/signing-secret/rotate', undefined],
    ['POST', '/webhook-secret/rotate', undefined],
    ['POST', '/suspend', {}],
    ['POST', '/reinstate', {}],
  ];

  it.each(operations)('%s …%s knows no merchant that is not registered', async (method, rest, body) => {
    for (const merchantId of ['mer_unknown', 'no.merchant', '__proto__']) {
      const answer = await operator.send(method, path(rest, merchantId), body);
      expect(refusal(answer)).toEqual([404, 'MERCHANT_NOT_FOUND', []]);
    }
  });

  it.each(operations)("%s …%s is the operator's alone", async (method, rest, body) => {
    const intruder = new OperatorClient(ledger.service, merchant.credentials.accessToken);
    expect(refusal(await intruder.send(method, path(rest), body))).toEqual([401, 'UNAUTHENTICATED', []]);
  });

  it('knows no token of another merchant', async () => {
    const issued = await issue();
    const other = await operator.register('Another');
    for (const [merchantId, tokenId] of [
      [other.credentials.merchantId, issued.tokenId],
      [merchant.credentials.merchantId, 'constructor'],
    ] as const) {
      const answer = await operator.send('DELETE', path(`/tokens/${tokenId}`, merchantId));
      expect(refusal(answer)).toEqual([404, 'TOKEN_NOT_FOUND', []]);
    }
    expect((await bearing(issued).payment(NO_PAYMENT)).status).toBe(404);
  });
});
