import { randomUUID } from 'node:crypto';
import { useLedger } from '../support/ledger';
import type { MerchantClient } from '../support/merchant-client';
import { loadOpenApi } from '../support/openapi-conformance';
import { answerOf, askOperation, type Change, type Operation, operationsOf } from '../support/operations';
import { OperatorClient } from '../support/operator-client';
import { bodyOf, createCompleted } from '../support/payments';
import { type RawAnswer, sendHead } from '../support/raw-http';
import { Service } from '../support/service';

// What can go wrong with the requests of every operation, asked of each of them. What an operation refuses for reasons of its
// own has its test beside what it is for; what needs something to be away stands in test/scenarios/documented-outages.spec.ts.
// scripts/openapi-coverage.cjs fails the whole run when a documented answer was met by none of them.

const ledger = useLedger();
const BODY_LIMIT = 256 * 1024;

const openApi = () => loadOpenApi(ledger.service.url);
const operations = async () => operationsOf((await openApi()).document);

/** Asks every operation; the code comes where it is documented, and nowhere else. */
async function expectWhereDocumented(code: string, ask: (operation: Operation) => Promise<RawAnswer>): Promise<void> {
  const { documented } = await openApi();
  const given = await Promise.all((await operations()).map(async (one) => answerOf(one, await ask(one))));
  const isOfCode = (answer: string) => answer.endsWith(` ${code}`);
  expect(given.filter(isOfCode).sort()).toEqual(documented.filter(isOfCode).sort());
}

describe('what is refused before an operation begins', () => {
  const SIGNED_NOW = { 'X-Timestamp': new Date().toISOString() };

  /** What to change of a good request to be given the code. */
  const RECIPES: Readonly<Record<string, Change & { readonly query?: string }>> = {
    UNAUTHENTICATED: { headers: { Authorization: null } },
    EXPECTATION_FAILED: { headers: { Expect: 'miracles' } },
    REQUEST_ID_INVALID: { headers: { 'X-Request-ID': 'two words' } },
    MALFORMED_REQUEST: { headers: { Host: 'another.example' } },
    MERCHANT_MISMATCH: { headers: { 'X-Merchant-ID': 'mer_other' } },
    SIGNATURE_INVALID: { headers: { ...SIGNED_NOW, 'X-Signature': `sha256=${'0'.repeat(64)}` } },
    TIMESTAMP_OUT_OF_RANGE: { headers: { 'X-Timestamp': '2001-01-01T00:00:00Z' } },
    MALFORMED_JSON: { body: '{' },
    MEDIA_TYPE_NOT_SUPPORTED: { headers: { 'Content-Type': 'text/plain' } },
    IDEMPOTENCY_KEY_MISSING: { headers: { 'Idempotency-Key': null } },
    IDEMPOTENCY_KEY_INVALID: { headers: { 'Idempotency-Key': 'two words' } },
    VALIDATION_FAILED: { body: '{"unknown":1}', query: '?unknown=1&limit=0' },
    ROUTE_NOT_FOUND: {},
    // A statement needs a currency, by which payments can be listed too.
    CURSOR_INVALID: { query: '?cursor=AAAA&currency=EUR' },
  };
  const BAD_CURSOR_IN_BODY = JSON.stringify({
    from: '2020-01-01T00:00:00Z',
    to: '2020-01-02T00:00:00Z',
    status: 'EXHAUSTED',
    cursor: 'AAAA',
  });

  function ask(operation: Operation, code: string): Promise<RawAnswer> {
    const { query = '', ...recipe } = RECIPES[code] ?? {};
    const { queryNames } = operation;
    const wanted = query
      .slice(1)
      .split('&')
      .filter((pair) => code === 'VALIDATION_FAILED' || queryNames.includes(pair.split('=')[0] ?? ''));
    const path = placeFor(operation.path, code) + (queryNames.length === 0 ? '' : `?${wanted.join('&')}`);
    const body = code === 'CURSOR_INVALID' ? { body: BAD_CURSOR_IN_BODY } : {};
    return askOperation(ledger.service, operation, { ...recipe, ...body, path });
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

  it.each(Object.keys(RECIPES))('is answered with %s wherever that is documented, and nowhere else', (code) =>
    expectWhereDocumented(code, (operation) => ask(operation, code)),
  );

  it('is answered with SCOPE_MISSING wherever a scope is asked for', async () => {
    const operator = new OperatorClient(ledger.service);
    // The operations are asked in the sandbox merchant's name.
    const { merchantId } = ledger.service.credentials;
    const { documented, seen } = await openApi();
    for (const scope of ['payments:read', 'webhooks:manage']) {
      const issued = await operator.send('POST', `/merchants/${merchantId}/tokens`, { scopes: [scope] });
      const { accessToken } = bodyOf<{ accessToken: string }>(issued, 201);
      const headers = { Authorization: `Bearer ${accessToken}` };
      const merchants = (await operations()).filter(({ access }) => access === 'merchant');
      await Promise.all(merchants.map((operation) => askOperation(ledger.service, operation, { headers })));
    }
    const pairs = documented.filter((pair) => pair.endsWith(' SCOPE_MISSING'));
    expect(pairs.filter((pair) => !seen.has(pair))).toEqual([]);
  });

  it('is answered with MERCHANT_SUSPENDED wherever a merchant asks', async () => {
    const operator = new OperatorClient(ledger.service);
    const { credentials } = await operator.register('Suspended');
    bodyOf(await operator.send('POST', `/merchants/${credentials.merchantId}/suspend`, {}), 200);
    const headers = { Authorization: `Bearer ${credentials.accessToken}` };
    await expectWhereDocumented('MERCHANT_SUSPENDED', (operation) =>
      askOperation(ledger.service, operation, operation.access === 'merchant' ? { headers } : {}),
    );
  });

  it('tells of what does not exist, wherever an identifier stands in the path', async () => {
    const { documented, seen } = await openApi();
    for (const operation of await operations()) await askOperation(ledger.service, operation);
    const pairs = documented.filter((pair) => /^\w+ 404 (?!ROUTE_NOT_FOUND|TOKEN_NOT_FOUND)/.test(pair));
    expect(pairs.filter((pair) => !seen.has(pair))).toEqual([]);
  });
});

describe('what is refused without the whole request', () => {
  it.each<readonly [string, readonly string[]]>([
    ['HEADERS_TOO_LARGE', ['X-Padding', 'x'.repeat(20_000)]],
    ['BODY_TOO_LARGE', ['Content-Length', String(BODY_LIMIT + 1)]],
  ])('is answered with %s by every operation', (code, headers) =>
    expectWhereDocumented(code, ({ method, path }) => sendHead(ledger.service.url, { method, path, headers })),
  );

  it('is answered with REQUEST_TIMEOUT by every operation when it does not come on', () =>
    expectWhereDocumented('REQUEST_TIMEOUT', ({ method, path }) =>
      // Without the empty line that ends the headers.
      sendHead(ledger.service.url, { method, path, headers: ['Accept', '*/*'] }, ''),
    ));
});

describe('at their limit', () => {
  it('merchants, and whoever guesses at tokens, are answered with RATE_LIMITED by every operation', async () => {
    const service = await Service.start({ env: { RATE_LIMIT: '1:1' } });
    const guess = { headers: { Authorization: 'Bearer guess' } };
    try {
      await expectWhereDocumented('RATE_LIMITED', async (operation) => {
        // One request a second gets through, whichever it is, and 300 guesses: those are asked until one doesn't.
        for (;;) {
          const change = operation.access === 'operator' ? guess : {};
          const answer = await askOperation(service, operation, change);
          if (answer.status === 429 || operation.access === 'public') return answer;
        }
      });
    } finally {
      await service.stop();
      await service.removeData();
    }
  });

  const codes = (answers: readonly { readonly body: object }[]) =>
    answers.flatMap(({ body }) => ('error' in body ? [(body.error as { code: string }).code] : []));

  /** Another process completes refunds of the same payment: who loses too many races is told BUSY, and asks again. */
  async function refundInTheEnd(merchant: MerchantClient, paymentId: string) {
    const key = randomUUID();
    for (;;) {
      const answer = await merchant.refund(paymentId, { amount: { value: '0.01', currency: 'EUR' } }, { key });
      if (answer.status !== 503) return answer;
    }
  }

  it('a merchant has so many secrets of a kind that hold', async () => {
    const operator = new OperatorClient(ledger.service);
    const { credentials } = await operator.register('Rotates');
    for (const which of ['signing', 'webhook']) {
      const path = `/merchants/${credentials.merchantId}/${which}-secret/rotate`;
      // Its first one came with it.
      for (let held = 1; held < 8; held += 1) bodyOf(await operator.send('POST', path), 200);
      expect(codes([await operator.send('POST', path)])).toEqual(['TOO_MANY_SECRETS']);
    }
  });

  it('a payment has so many refunds, and a merchant so many live tokens', async () => {
    const operator = new OperatorClient(ledger.service);
    const merchant = await operator.register('At its limits');
    const { paymentId } = await createCompleted(merchant);
    // One asked for beyond the limit, whichever of them it is.
    const refunds = await Promise.all(Array.from({ length: 101 }, () => refundInTheEnd(merchant, paymentId)));
    expect(codes(refunds)).toEqual(['TOO_MANY_REFUNDS']);
    const tokens = `/merchants/${merchant.credentials.merchantId}/tokens`;
    // Its first one came with it.
    const issued = await Promise.all(Array.from({ length: 100 }, () => operator.send('POST', tokens, {})));
    expect(codes(issued)).toEqual(['TOO_MANY_TOKENS']);
  });

  it('a merchant is registered once', async () => {
    const operator = new OperatorClient(ledger.service);
    const { merchantId } = ledger.client.credentials;
    const again = await operator.send('POST', '/merchants', { merchantId, name: 'Once more' });
    expect(codes([again])).toEqual(['MERCHANT_EXISTS']);
  });
});
