import { randomUUID } from 'node:crypto';
import { countEvents } from '../support/event-log';
import { useLedger } from '../support/ledger';
import { paymentRequest } from '../support/merchant-client';
import type { ErrorBody } from '../support/payments';

const ledger = useLedger();

let eventsBefore = 0;
beforeAll(async () => {
  eventsBefore = await countEvents(ledger.service.dataDir);
});

/** Sets the value at a path such as `order.items.0.name`; undefined takes it away. */
function changed(path: string, value: unknown, body = paymentRequest()): Record<string, unknown> {
  const copy = structuredClone(body);
  const keys = path.split('.');
  const last = keys.pop()!;
  const holder = keys.reduce<Record<string, unknown>>((at, key) => at[key] as Record<string, unknown>, copy);
  if (value === undefined) Reflect.deleteProperty(holder, last);
  else holder[last] = value;
  return copy;
}

async function problemsOf(body: unknown): Promise<readonly string[]> {
  const answer = await ledger.client.createPayment(body);
  expect(answer.status).toBe(400);
  const { error } = answer.body as unknown as ErrorBody;
  expect(error.code).toBe('VALIDATION_FAILED');
  expect(error.requestId).toBe(answer.headers.get('x-request-id'));
  for (const detail of error.details ?? []) expect(Object.keys(detail)).toEqual(['field', 'code', 'message']);
  return (error.details ?? []).map(({ field, code }) => `${field} ${code}`);
}

const CARD = 'payer.paymentMethod.card';
const withItem = (item: unknown) => changed('order.items', [item]);

describe('a create without a required field is refused', () => {
  it.each([
    'amount',
    'amount.value',
    'amount.currency',
    'order',
    'order.orderId',
    'payer',
    'payer.payerId',
    'payer.paymentMethod',
    'payer.paymentMethod.type',
    'payer.paymentMethod.card',
    `${CARD}.number`,
    `${CARD}.expiryMonth`,
    `${CARD}.expiryYear`,
    `${CARD}.cvv`,
  ])('%s', async (field) => {
    expect(await problemsOf(changed(field, undefined))).toEqual([`${field} REQUIRED`]);
  });
});

describe('amounts that are refused', () => {
  it.each([
    ['JPY', '1.0'],
    ['EUR', '0.001'],
    ['EUR', '1.500'],
    ['KWD', '0.0001'],
    ['CLF', '0.00001'],
    ['EUR', '0'],
    ['EUR', '0.00'],
    ['JPY', '0'],
    ['EUR', '-1.00'],
    ['EUR', '+1.00'],
    ['EUR', '01.00'],
    ['EUR', '.50'],
    ['EUR', '1.'],
    ['EUR', '1e3'],
    ['EUR', '1,00'],
    ['EUR', ' 1.00'],
    ['EUR', '1.00 '],
    ['EUR', '１.00'],
    ['EUR', ''],
    ['EUR', '1000000000000'],
    ['JPY', '9'.repeat(400)],
  ])('%s %s', async (currency, value) => {
    const problems = await problemsOf(paymentRequest({ currency, value }));
    expect(problems).toEqual(['amount.value INVALID_AMOUNT']);
  });

  it.each(['eur', 'XXX', 'XAU', 'XTS', 'ABC', '', 'EURO', 'EU', 'constructor'])('currency %j', async (currency) => {
    expect(await problemsOf(paymentRequest({ currency }))).toEqual(['amount.currency CURRENCY_NOT_SUPPORTED']);
  });
});

const REFUSED: readonly (readonly [name: string, body: () => unknown, problem: string])[] = [
  ['a number for a string', () => changed('amount.value', 129.9), 'amount.value INVALID_FORMAT'],
  ['a boolean for a string', () => changed('order.orderId', true), 'order.orderId INVALID_FORMAT'],
  ['null for an optional field', () => changed('notifyUrl', null), 'notifyUrl INVALID_FORMAT'],
  ['a list for an object', () => changed('amount', []), 'amount INVALID_FORMAT'],
  ['an empty orderId', () => changed('order.orderId', ''), 'order.orderId INVALID_FORMAT'],
  ['an orderId of 81', () => changed('order.orderId', 'o'.repeat(81)), 'order.orderId TOO_LONG'],
  ['a payerId of 81', () => changed('payer.payerId', 'p'.repeat(81)), 'payer.payerId TOO_LONG'],
  ['a description of 1001', () => changed('order.description', 'd'.repeat(1001)), 'order.description TOO_LONG'],
  ['101 items', () => changed('order.items', Array(101).fill({ name: 'x' })), 'order.items TOO_LONG'],
  ['a quantity of 0', () => withItem({ quantity: 0 }), 'order.items[0].quantity INVALID_FORMAT'],
  ['a quantity of 1,000,001', () => withItem({ quantity: 1_000_001 }), 'order.items[0].quantity INVALID_FORMAT'],
  ['half a quantity', () => withItem({ quantity: 1.5 }), 'order.items[0].quantity INVALID_FORMAT'],
  ['a quantity in a string', () => withItem({ quantity: '1' }), 'order.items[0].quantity INVALID_FORMAT'],
  ['a price beyond the exponent', () => withItem({ unitPrice: '1.001' }), 'order.items[0].unitPrice INVALID_AMOUNT'],
  ['a negative price', () => withItem({ unitPrice: '-1' }), 'order.items[0].unitPrice INVALID_AMOUNT'],
  ['an unknown field', () => changed('tip', '1.00'), 'tip UNKNOWN_FIELD'],
  ['an unknown field of the card', () => changed(`${CARD}.pin`, '0000'), `${CARD}.pin UNKNOWN_FIELD`],
  ['an unknown field of an item', () => withItem({ weight: 1 }), 'order.items[0].weight UNKNOWN_FIELD'],
  ['another method', () => changed('payer.paymentMethod.type', 'paypal'), 'payer.paymentMethod.type INVALID_FORMAT'],
  ['a wrong check digit', () => changed(`${CARD}.number`, '4111111111111112'), `${CARD}.number INVALID_CARD_NUMBER`],
  [
    'blanks in the number',
    () => changed(`${CARD}.number`, '4111 1111 1111 1111'),
    `${CARD}.number INVALID_CARD_NUMBER`,
  ],
  ['a number too short', () => changed(`${CARD}.number`, '42'), `${CARD}.number INVALID_CARD_NUMBER`],
  ['month 13', () => changed(`${CARD}.expiryMonth`, '13'), `${CARD}.expiryMonth INVALID_FORMAT`],
  ['month 1', () => changed(`${CARD}.expiryMonth`, '1'), `${CARD}.expiryMonth INVALID_FORMAT`],
  ['a year of two digits', () => changed(`${CARD}.expiryYear`, '30'), `${CARD}.expiryYear INVALID_FORMAT`],
  ['an expired card', () => changed(`${CARD}.expiryYear`, '2020'), `${CARD}.expiryYear CARD_EXPIRED`],
  ['a cvv of 2', () => changed(`${CARD}.cvv`, '12'), `${CARD}.cvv INVALID_FORMAT`],
  ['a cvv of 5', () => changed(`${CARD}.cvv`, '12345'), `${CARD}.cvv INVALID_FORMAT`],
  ['a cvv of 4 that is no American Express', () => changed(`${CARD}.cvv`, '1234'), `${CARD}.cvv INVALID_FORMAT`],
  ['a year that no card reaches', () => changed(`${CARD}.expiryYear`, '9999'), `${CARD}.expiryYear INVALID_FORMAT`],
  ['zeros alone', () => changed(`${CARD}.number`, '0000000000000000'), `${CARD}.number INVALID_CARD_NUMBER`],
  ['a blank order', () => changed('order.orderId', ' \u200b'), 'order.orderId INVALID_FORMAT'],
  ['an empty label', () => changed('notifyUrl', 'https://a..b.com/'), 'notifyUrl INVALID_FORMAT'],
  ['a label of 64', () => changed('returnUrl', `https://${'a'.repeat(64)}.com/`), 'returnUrl INVALID_FORMAT'],
  ['a cvv of letters', () => changed(`${CARD}.cvv`, 'abc'), `${CARD}.cvv INVALID_FORMAT`],
  ['another capture', () => changed('captureMethod', 'LATER'), 'captureMethod INVALID_FORMAT'],
  ['no IP address', () => changed('riskData', { ipAddress: '1.2.3' }), 'riskData.ipAddress INVALID_FORMAT'],
  ['no URL', () => changed('notifyUrl', 'shop'), 'notifyUrl INVALID_FORMAT'],
  ['a URL of 2049', () => changed('notifyUrl', `https://a.example/${'x'.repeat(2031)}`), 'notifyUrl TOO_LONG'],
  ['a script for a return', () => changed('returnUrl', 'javascript:alert(1)'), 'returnUrl INVALID_FORMAT'],
  ['a file for a return', () => changed('returnUrl', 'file:///etc/passwd'), 'returnUrl INVALID_FORMAT'],
  ['51 pairs of metadata', () => changed('merchantMetadata', pairs(51)), 'merchantMetadata TOO_LONG'],
  ['a metadata value of 501', () => metadata('a', 'x'.repeat(501)), 'merchantMetadata.a TOO_LONG'],
  ['a metadata value that is no string', () => metadata('a', 1), 'merchantMetadata.a INVALID_FORMAT'],
];

function pairs(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));
}

function metadata(key: string, value: unknown): unknown {
  return changed('merchantMetadata', { [key]: value });
}

describe('a create is refused for', () => {
  it.each(REFUSED)('%s', async (_name, body, problem) => {
    expect(await problemsOf(body())).toEqual([problem]);
  });

  it('a metadata key of 41, which is named no further than it can be read', async () => {
    const [problem, ...others] = await problemsOf(metadata('k'.repeat(41), 'v'));
    expect(others).toEqual([]);
    expect(problem).toMatch(/^merchantMetadata.* TOO_LONG$/);
  });

  it('everything that is wrong at once, each field by its name', async () => {
    let body = changed('order.orderId', undefined);
    body = changed('amount.value', '1,00', body);
    body = changed(`${CARD}.cvv`, '1', body);
    body = changed('extra', {}, body);
    expect([...(await problemsOf(body))].sort()).toEqual([
      'amount.value INVALID_AMOUNT',
      'extra UNKNOWN_FIELD',
      'order.orderId REQUIRED',
      `${CARD}.cvv INVALID_FORMAT`,
    ]);
  });
});

describe('notifyUrl', () => {
  it.each([
    'ftp://shop.example/hook',
    'http://10.0.0.1/hook',
    'https://192.168.1.1/hook',
    'https://172.16.0.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://[fe80::1]/',
    'https://[fd00::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://0xa.1/',
    'https://0.0.0.0/',
    'https://224.0.0.1/',
    'https://100.64.0.1/',
    'https://user:secret@shop.example/hook',
    'http://93.184.215.14/hook',
  ])('%s is not allowed', async (notifyUrl) => {
    expect(await problemsOf(paymentRequest({ notifyUrl }))).toEqual(['notifyUrl URL_NOT_ALLOWED']);
  });
});

describe('card data in other fields', () => {
  const own = '5555555555554444';
  const other = '4929731582640397';
  const request = paymentRequest({ card: own });

  it.each<readonly [string, unknown, string]>([
    ['order.description', `paid with ${other}`, 'order.description'],
    ['order.description', `card ${other.replace(/(\d{4})(?=\d)/g, '$1-')}`, 'order.description'],
    ['order.items', [{ name: other }], 'order.items[0].name'],
    ['merchantMetadata', { note: `pan ${other}` }, 'merchantMetadata.note'],
    ['merchantMetadata', { [other]: 'x' }, 'merchantMetadata'],
    ['order.orderId', own, 'order.orderId'],
    ['payer.payerId', `p-${own}`, 'payer.payerId'],
    [`${CARD}.holderName`, own, `${CARD}.holderName`],
    ['returnUrl', `https://shop.example/?c=${own}`, 'returnUrl'],
    ['riskData', { deviceFingerprint: own }, 'riskData.deviceFingerprint'],
  ])('%s: %j', async (path, value, field) => {
    expect(await problemsOf(changed(path, value, request))).toEqual([`${field} CARD_DATA_NOT_ALLOWED`]);
  });

  it('never comes back in the answer', async () => {
    const bodies = [
      changed('merchantMetadata', { [own]: own }, request),
      changed(own, own, request),
      changed('order.description', own, request),
      changed(`${CARD}.number`, `${own}0000`, request),
    ];
    for (const body of bodies) {
      const { text, status } = await ledger.client.createPayment(body);
      expect(status).toBe(400);
      expect(text).not.toContain(own);
    }
  });
});

describe('what was refused', () => {
  it('has left no event', async () => {
    expect(await countEvents(ledger.service.dataDir)).toBe(eventsBefore);
  });

  it('leaves its key free for a right request', async () => {
    const key = randomUUID();
    const wrong = await ledger.client.createPayment(changed('amount.value', '0'), { key });
    expect(wrong.status).toBe(400);
    const right = await ledger.client.createPayment(paymentRequest(), { key });
    expect([right.status, right.headers.get('idempotent-replayed')]).toEqual([201, null]);
  });
});
