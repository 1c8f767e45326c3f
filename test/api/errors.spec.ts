import { countEvents } from '../support/event-log';
import { useLedger } from '../support/ledger';
import { createCompleted, refundRequest } from '../support/payments';
import { type RawAnswer, sendBytes } from '../support/raw-http';
import { CREATE, CREATE_BODY, errorOf, inSeconds, RawMerchant } from '../support/raw-merchant';

const ledger = useLedger();
const merchant = new RawMerchant(ledger);

let paymentId = '';
let events = 0;
beforeAll(async () => {
  ({ paymentId } = await createCompleted(ledger.client));
  events = await countEvents(ledger.service.dataDir);
});

describe('headers', () => {
  it('need an Idempotency-Key on create and refund', async () => {
    expect(errorOf(await merchant.create({ 'Idempotency-Key': null }))).toBe('400 IDEMPOTENCY_KEY_MISSING');
    const refund = await ledger.client.refund(paymentId, refundRequest('1.00'), {
      headers: { 'Idempotency-Key': null },
    });
    expect([refund.status, refund.body['error']]).toEqual([
      400,
      expect.objectContaining({ code: 'IDEMPOTENCY_KEY_MISSING' }),
    ]);
  });

  it.each(['k'.repeat(256), 'two words', 'tab\there', 'key,key, key'])(
    'take no Idempotency-Key that is malformed: %j',
    async (key) => {
      expect(errorOf(await merchant.create({ 'Idempotency-Key': key }))).toBe('400 IDEMPOTENCY_KEY_INVALID');
    },
  );

  it.each(['r'.repeat(129), 'two words', 'é'])('take no X-Request-ID that is malformed: %j', async (requestId) => {
    const answer = await merchant.create({ 'X-Request-ID': requestId });
    expect(errorOf(answer)).toBe('400 REQUEST_ID_INVALID');
    expect(answer.headers['x-request-id']).not.toBe(requestId);
  });

  it.each(['4242424242424242', 'cart:4242-4242-4242-4242', '5555_5555_5555_4444', '%34242424242424242'])(
    'take no X-Request-ID that holds a card number, and do not give it back: %j',
    async (requestId) => {
      const answer = await merchant.create({ 'X-Request-ID': requestId });
      expect(errorOf(answer)).toBe('400 REQUEST_ID_INVALID');
      expect(JSON.stringify(answer)).not.toContain(requestId);
      expect(ledger.service.log).not.toContain(requestId);
    },
  );

  it('take any UUID for an X-Request-ID, be its digits what they may', async () => {
    const requestId = '4b111111-1111-4111-8111-111111411111';
    const answer = await merchant.create({ 'X-Request-ID': requestId, 'X-Signature': null });
    expect([errorOf(answer), answer.headers['x-request-id']]).toEqual(['401 SIGNATURE_INVALID', requestId]);
  });

  it('echo the X-Request-ID also in errors', async () => {
    const longest = 'r'.repeat(128);
    const answer = await merchant.create({ 'X-Request-ID': longest, 'X-Signature': null });
    expect(errorOf(answer)).toBe('401 SIGNATURE_INVALID');
    expect(answer.headers['x-request-id']).toBe(longest);
  });

  it.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['application/json; charset=iso-8859-1'],
    ['application/jsonp'],
    ['application/problem+json'],
    ['multipart/form-data; boundary=x'],
    ['json'],
    [null],
  ])('take no content of the type %s', async (type) => {
    expect(errorOf(await merchant.create({ 'Content-Type': type }))).toBe('415 MEDIA_TYPE_NOT_SUPPORTED');
  });

  it('take no compressed content', async () => {
    expect(errorOf(await merchant.create({ 'Content-Encoding': 'gzip' }))).toBe('415 MEDIA_TYPE_NOT_SUPPORTED');
  });
});

const NESTED_33 = '{"a":'.repeat(33) + '1' + '}'.repeat(33);
const MALFORMED: readonly (readonly [name: string, body: string | Uint8Array])[] = [
  ['empty', ''],
  ['cut off', CREATE_BODY.slice(0, -1)],
  ['followed by more', `${CREATE_BODY}{}`],
  ['null', 'null'],
  ['a list', `[${CREATE_BODY}]`],
  ['a string', '"x"'],
  ['with a trailing comma', CREATE_BODY.replace(/}$/, ',}')],
  ['with NaN', CREATE_BODY.replace('"129.90"', 'NaN')],
  ['with a comment', `/* */${CREATE_BODY}`],
  [
    'with a repeated key',
    CREATE_BODY.replace('{', '{"notifyUrl":"https://a.example","notifyUrl":"https://b.example",'),
  ],
  ['with a repeated key further down', CREATE_BODY.replace('"currency"', '"value":"1","currency"')],
  ['with a repeated key spelled otherwise', CREATE_BODY.replace('"currency"', '"\\u0076alue":"1","currency"')],
  ['too deep', NESTED_33],
  ['far too deep', '['.repeat(100_000)],
  ['with __proto__', CREATE_BODY.replace('{', '{"__proto__":{"admin":true},')],
  ['with constructor', CREATE_BODY.replace('{', '{"constructor":{"prototype":{}},')],
  ['with a byte order mark', `\ufeff${CREATE_BODY}`],
  ['with half a surrogate pair', CREATE_BODY.replace('order-1', '\\ud800')],
  ['no UTF-8', Buffer.from(CREATE_BODY.replace('order-1', 'caf\u00e9'), 'latin1')],
  ['with an overlong encoding', Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')])],
];

describe('a body is refused', () => {
  it.each(MALFORMED)('when it is %s', async (_name, body) => {
    const answer = await merchant.create({}, { body });
    expect(errorOf(answer)).toBe('400 MALFORMED_JSON');
  });

  it('when it is over 256 KiB, whether or not it says so', async () => {
    const body = CREATE_BODY.padEnd(256 * 1024 + 1, ' ');
    expect(errorOf(await merchant.create({}, { body }))).toBe('413 BODY_TOO_LARGE');
    expect(errorOf(await merchant.create({}, { body, chunked: true }))).toBe('413 BODY_TOO_LARGE');
    expect(errorOf(await merchant.create({ Authorization: null }, { body }))).toMatch(/^(413|401) /);
  });
});

describe('paths', () => {
  it.each([
    '/api',
    '/api/v2',
    '/api/v1/payments',
    '/api/v2/nothing',
    '/api/v2/payments/',
    '/api/v2/Payments',
    '/API/v2/payments',
    '/api/v2/%70ayments',
    '//api/v2/payments',
    '/api/v2//payments',
    '/api/v2/./payments',
    '/api/v2/refunds/../payments',
    '/api/v2/payments;a=b',
    '/api/v2/payments%2f',
    '/api/v2/payments%00',
    '/api\\v2\\payments',
  ])('are not found under another spelling: %s', async (path) => {
    expect(errorOf(await merchant.create({}, { path }))).toBe('404 ROUTE_NOT_FOUND');
    expect(errorOf(await merchant.create({ Authorization: null }, { path }))).toMatch(/^(404|401) /);
  });

  it('have one spelling of an identifier too', async () => {
    for (const path of [`${CREATE}/${paymentId}/`, `${CREATE}/%70${paymentId.slice(1)}`, `${CREATE}//${paymentId}`]) {
      expect(errorOf(await merchant.ask('GET', path))).toBe('404 ROUTE_NOT_FOUND');
    }
    expect((await merchant.ask('GET', `${CREATE}/${paymentId}?any=query`)).status).toBe(200);
    expect(errorOf(await merchant.ask('GET', `${CREATE}/${paymentId.toLowerCase()}`))).toBe('404 PAYMENT_NOT_FOUND');
    expect(errorOf(await merchant.ask('GET', '/api/v2/refunds/ref_x'))).toBe('404 REFUND_NOT_FOUND');
  });

  it.each([
    ['PUT', CREATE],
    ['PATCH', CREATE],
    ['DELETE', `${CREATE}/pay_x`],
    ['PUT', `${CREATE}/batch-query`],
    ['GET', `${CREATE}/batch-query`],
    ['DELETE', `${CREATE}/pay_x/refunds`],
    ['POST', '/api/v2/refunds/ref_x'],
  ])('take their own methods only: %s %s', async (method, path) => {
    const answer = await merchant.ask(method, path);
    expect(errorOf(answer)).toBe('405 METHOD_NOT_ALLOWED');
    expect(answer.headers['allow']).toMatch(/^[A-Z]+(, [A-Z]+)*$/);
    expect(String(answer.headers['allow']).split(', ')).not.toContain(method);
  });
});

describe('what is no request', () => {
  it.each([
    ['garbage', 'GARBAGE\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400],
    ['two Hosts', 'GET /health/live HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n', 400],
    [
      'an encoding of the transfer',
      'POST /api/v2/payments HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\nConnection: close\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['an expectation', 'GET /health/live HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\nConnection: close\r\n\r\n', 417],
    ['CONNECT', 'CONNECT shop.example:443 HTTP/1.1\r\nHost: a\r\n\r\n', 404],
    ['too many headers', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ])('is answered like every other error: %s', async (_name, bytes, status) => {
    const received = await sendBytes(ledger.service.url, bytes);
    const [head = '', text = ''] = received.split('\r\n\r\n');
    expect(head.split(' ')[1]).toBe(String(status));
    const lines = head
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(': ') as [string, string]);
    const headers = Object.fromEntries(lines.map(([name, value]) => [name.toLowerCase(), value]));
    errorOf({ status, headers, text });
  });
});

it('nothing of all this has left an event', async () => {
  expect(await countEvents(ledger.service.dataDir)).toBe(events);
});

describe('at the edge of what is taken', () => {
  it.each<readonly [string, () => Promise<RawAnswer>]>([
    ['a body of 256 KiB', () => merchant.create({}, { body: CREATE_BODY.padEnd(256 * 1024, ' ') })],
    ['a body in chunks', () => merchant.create({}, { chunked: true })],
    ['a charset', () => merchant.create({ 'Content-Type': 'Application/JSON; charset=UTF-8' })],
    ['a key of 255', () => merchant.create({ 'Idempotency-Key': 'k'.repeat(255) })],
    ['a request id of 128', () => merchant.create({ 'X-Request-ID': '~'.repeat(128) })],
    [
      'a scheme in lower case',
      () => merchant.create({ Authorization: `bearer ${ledger.client.credentials.accessToken}` }),
    ],
    ['a timestamp four minutes old', () => merchant.createAt(inSeconds(-240))],
    ['a timestamp half a minute ahead', () => merchant.createAt(inSeconds(30))],
    ['a timestamp in whole seconds', () => merchant.createAt(inSeconds(0).replace(/\.\d+Z/, 'Z'))],
  ])('%s', async (_name, send) => {
    const answer = await send();
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 201 });
  });
});
