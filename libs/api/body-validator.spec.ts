import { CapturePaymentDto } from '@app/payments/http/capture-payment.dto';
import { CreatePaymentDto } from '@app/payments/http/create-payment.dto';
import { CreateRefundDto } from '@app/payments/http/create-refund.dto';
import { IssueTokenDto } from '@app/merchants/http/issue-token.dto';
import { RegisterMerchantDto } from '@app/merchants/http/register-merchant.dto';
import { AllWebhookDeliveriesQuery, RedeliverDto } from '@app/webhooks/http/webhook-deliveries.dto';
import { ListPaymentsParameters } from '@app/payments/http/payment-list.controller';
import { type Body, judges, payment } from './testing/bodies';
import { jsonSchemaOf } from '@app/platform/http/validation/json-schema';

function errorOf(judge: keyof typeof judges, body: unknown): { code: string; details: string[] } | null {
  const result = judges[judge](body);
  if ('value' in result) return null;
  const details = result.error.details?.map(({ field, code }) => `${field} ${code}`) ?? [];
  return { code: result.error.code, details };
}

const detailsOf = (change: (body: Body) => void): string[] | null => {
  const body = payment();
  change(body);
  return errorOf('payment', body)?.details ?? null;
};

const REQUEST_CLASSES = [
  CreatePaymentDto,
  CreateRefundDto,
  CapturePaymentDto,
  IssueTokenDto,
  RegisterMerchantDto,
  RedeliverDto,
  AllWebhookDeliveriesQuery,
  ListPaymentsParameters,
];

describe('the schema of a decorated class', () => {
  it('holds everything itself and closes every object', () => {
    const schema = jsonSchemaOf(CreatePaymentDto) as Body;
    expect(JSON.stringify(schema)).not.toContain('$ref');
    expect(schema['required']).toEqual(['amount', 'order', 'payer']);
    expect(schema['properties'].order.properties.items.items.additionalProperties).toBe(false);
    expect(schema['properties'].payer.properties.paymentMethod.properties.card).toEqual({
      type: 'object',
      additionalProperties: false,
      required: ['number', 'expiryMonth', 'expiryYear', 'cvv'],
      properties: {
        number: { type: 'string', pattern: '^[0-9]{12,19}$', 'x-problem': 'INVALID_CARD_NUMBER' },
        expiryMonth: { type: 'string', pattern: '^(0[1-9]|1[0-2])$', 'x-hint': 'Two digits, 01 to 12.' },
        expiryYear: { type: 'string', pattern: '^[0-9]{4}$', 'x-hint': 'Four digits, such as 2031.' },
        cvv: { type: 'string', pattern: '^[0-9]{3,4}$', 'x-hint': 'Three or four digits.' },
        holderName: {
          type: 'string',
          minLength: 0,
          maxLength: 255,
          pattern: expect.stringMatching(/^\^\[\^/),
          'x-hint': expect.any(String),
        },
      },
    });
  });
});

describe('the judgement of a body', () => {
  it('takes a whole payment and leaves it as it is', () => {
    const body = payment();
    const result = judges.payment(body);
    expect(result).toEqual({ value: payment() });
    expect((result as { value: unknown }).value).toBe(body);
  });

  it('takes a payment with nothing but what is required', () => {
    const { number, expiryMonth, expiryYear, cvv } = payment()['payer'].paymentMethod.card;
    const card = { number, expiryMonth, expiryYear, cvv };
    const body = {
      amount: { value: '1', currency: 'JPY' },
      order: { orderId: 'o' },
      payer: { payerId: 'p', paymentMethod: { type: 'credit_card', card } },
    };
    expect(errorOf('payment', body)).toBeNull();
  });

  it.each<[string, (body: Body) => void, string[]]>([
    ['a missing object', (body) => delete body['amount'], ['amount REQUIRED']],
    [
      'a missing field far inside',
      (body) => delete body['payer'].paymentMethod.card.cvv,
      ['payer.paymentMethod.card.cvv REQUIRED'],
    ],
    ['null for a required field', (body) => (body['order'].orderId = null), ['order.orderId INVALID_FORMAT']],
    ['null for an optional field', (body) => (body['notifyUrl'] = null), ['notifyUrl INVALID_FORMAT']],
    ['a number for a string', (body) => (body['amount'].value = 12.5), ['amount.value INVALID_FORMAT']],
    [
      'a string for a number',
      (body) => (body['order'].items[0].quantity = '2'),
      ['order.items[0].quantity INVALID_FORMAT'],
    ],
    ['a fraction', (body) => (body['order'].items[0].quantity = 1.5), ['order.items[0].quantity INVALID_FORMAT']],
    ['zero pieces', (body) => (body['order'].items[0].quantity = 0), ['order.items[0].quantity INVALID_FORMAT']],
    [
      'too many pieces',
      (body) => (body['order'].items[0].quantity = 1_000_001),
      ['order.items[0].quantity INVALID_FORMAT'],
    ],
    ['an array for an object', (body) => (body['amount'] = [body['amount']]), ['amount INVALID_FORMAT']],
    ['an array for an element', (body) => (body['order'].items = [[]]), ['order.items[0] INVALID_FORMAT']],
    ['an object for an array', (body) => (body['order'].items = {}), ['order.items INVALID_FORMAT']],
    ['101 items', (body) => (body['order'].items = Array(101).fill({})), ['order.items TOO_LONG']],
    ['an unknown field', (body) => (body['extra'] = 1), ['extra UNKNOWN_FIELD']],
    [
      'an unknown field in an item',
      (body) => (body['order'].items[0].price = 1),
      ['order.items[0].price UNKNOWN_FIELD'],
    ],
    ['an odd unknown field', (body) => (body['a b"/~'] = 1), ['["a b\\"/~"] UNKNOWN_FIELD']],
    ['a very long unknown field', (body) => (body['x'.repeat(5000)] = 1), [`["${'x'.repeat(40)}…"] UNKNOWN_FIELD`]],
    ['a card number as a field', (body) => (body['4111 1111 1111 1111'] = 1), ['["[digits]"] UNKNOWN_FIELD']],
    [
      'a card number as a field, spelled anyhow',
      (body) => (body['4x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1'] = 1),
      ['["[digits]"] UNKNOWN_FIELD'],
    ],
    [
      'a card number behind what is shown of a field',
      (body) => (body[`${'x'.repeat(40)}4111111111111111`] = 1),
      [`["${'x'.repeat(40)}…"] UNKNOWN_FIELD`],
    ],
    ['an exponent', (body) => (body['amount'].value = '1e3'), ['amount.value INVALID_AMOUNT']],
    ['a sign', (body) => (body['amount'].value = '-1'), ['amount.value INVALID_AMOUNT']],
    ['a leading zero', (body) => (body['amount'].value = '01'), ['amount.value INVALID_AMOUNT']],
    ['13 digits', (body) => (body['amount'].value = '1000000000000'), ['amount.value INVALID_AMOUNT']],
    ['no digits', (body) => (body['amount'].value = ''), ['amount.value INVALID_AMOUNT']],
    ['a line break after the amount', (body) => (body['amount'].value = '1\n'), ['amount.value INVALID_AMOUNT']],
    ['endless decimals', (body) => (body['amount'].value = `1.${'0'.repeat(1000)}`), ['amount.value INVALID_AMOUNT']],
    [
      'a bad unit price',
      (body) => (body['order'].items[0].unitPrice = 'x'),
      ['order.items[0].unitPrice INVALID_AMOUNT'],
    ],
    ['a lower-case currency', (body) => (body['amount'].currency = 'eur'), ['amount.currency CURRENCY_NOT_SUPPORTED']],
    [
      'a card number with blanks',
      (body) => (body['payer'].paymentMethod.card.number = '4111 1111 1111 1111'),
      ['payer.paymentMethod.card.number INVALID_CARD_NUMBER'],
    ],
    [
      'month 13',
      (body) => (body['payer'].paymentMethod.card.expiryMonth = '13'),
      ['payer.paymentMethod.card.expiryMonth INVALID_FORMAT'],
    ],
    [
      'a year of two digits',
      (body) => (body['payer'].paymentMethod.card.expiryYear = '31'),
      ['payer.paymentMethod.card.expiryYear INVALID_FORMAT'],
    ],
    [
      'another payment method',
      (body) => (body['payer'].paymentMethod.type = 'paypal'),
      ['payer.paymentMethod.type INVALID_FORMAT'],
    ],
    ['an empty order id', (body) => (body['order'].orderId = ''), ['order.orderId INVALID_FORMAT']],
    ['an order id of 81', (body) => (body['order'].orderId = '😀'.repeat(81)), ['order.orderId TOO_LONG']],
    ['a description of 1001', (body) => (body['order'].description = 'x'.repeat(1001)), ['order.description TOO_LONG']],
    ['a relative URL', (body) => (body['returnUrl'] = '/done'), ['returnUrl INVALID_FORMAT']],
    ['a script as URL', (body) => (body['returnUrl'] = 'javascript://x/%0aalert(1)'), ['returnUrl INVALID_FORMAT']],
    ['a URL with a line break', (body) => (body['notifyUrl'] = 'https://x.example/\n'), ['notifyUrl INVALID_FORMAT']],
    [
      'a URL that is too long',
      (body) => (body['notifyUrl'] = `https://x.example/${'x'.repeat(2048)}`),
      ['notifyUrl TOO_LONG'],
    ],
    [
      'a URL with a user',
      (body) => (body['returnUrl'] = 'https://bank.example@shop.example/'),
      ['returnUrl INVALID_FORMAT'],
    ],
    [
      'a URL with a password',
      (body) => (body['returnUrl'] = 'https://a:b@shop.example/'),
      ['returnUrl INVALID_FORMAT'],
    ],
    [
      'a URL with an empty user',
      (body) => (body['returnUrl'] = 'https://@shop.example/'),
      ['returnUrl INVALID_FORMAT'],
    ],
    ['a URL without a host', (body) => (body['notifyUrl'] = 'https://'), ['notifyUrl INVALID_FORMAT']],
    ['no address', (body) => (body['riskData'].ipAddress = '203.0.113.999'), ['riskData.ipAddress INVALID_FORMAT']],
    ['another capture method', (body) => (body['captureMethod'] = 'manual'), ['captureMethod INVALID_FORMAT']],
    ['a number as metadata', (body) => (body['merchantMetadata'].n = 1), ['merchantMetadata.n INVALID_FORMAT']],
    [
      'a long metadata value',
      (body) => (body['merchantMetadata'].n = 'x'.repeat(501)),
      ['merchantMetadata.n TOO_LONG'],
    ],
    [
      'a long metadata key',
      (body) => (body['merchantMetadata']['k'.repeat(41)] = ''),
      [`merchantMetadata["${'k'.repeat(40)}…"] TOO_LONG`],
    ],
    ['an empty metadata key', (body) => (body['merchantMetadata'][''] = ''), ['merchantMetadata[""] INVALID_FORMAT']],
    [
      '51 pairs',
      (body) => (body['merchantMetadata'] = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, '']))),
      ['merchantMetadata TOO_LONG'],
    ],
  ])('tells of %s', (_name, change, details) => {
    expect(detailsOf(change)).toEqual(details);
  });

  it.each<[string, (body: Body) => void, string]>([
    [
      'a year',
      (body) => (body['payer'].paymentMethod.card.expiryYear = '31'),
      'payer.paymentMethod.card.expiryYear: Four digits, such as 2031.',
    ],
    [
      'a month',
      (body) => (body['payer'].paymentMethod.card.expiryMonth = '1'),
      'payer.paymentMethod.card.expiryMonth: Two digits, 01 to 12.',
    ],
    [
      'a security code',
      (body) => (body['payer'].paymentMethod.card.cvv = '12'),
      'payer.paymentMethod.card.cvv: Three or four digits.',
    ],
    [
      'a URL',
      (body) => (body['returnUrl'] = 'shop.example'),
      'returnUrl: An absolute http or https URL without user name and password. ' +
        'Its host has at most 253 characters, and 1 to 63 between its dots.',
    ],
    ['an address', (body) => (body['riskData'].ipAddress = 'x'), 'riskData.ipAddress: An IPv4 or IPv6 address.'],
    [
      'a field with a slip in its name',
      (body) => (body['notifyURL'] = 'x'),
      'notifyURL: There is no such field. Did you mean notifyUrl?',
    ],
    ['a field like no other', (body) => (body['webhook'] = 'x'), 'webhook: There is no such field.'],
  ])('says how to write %s', (_name, change, message) => {
    const body = payment();
    change(body);
    const result = judges.payment(body);
    const details = 'error' in result ? (result.error.details ?? []) : [];
    expect(details.map((detail) => `${detail.field}: ${detail.message}`)).toEqual([message]);
  });

  it('has a sentence of its own for every rule of a text', () => {
    const isExplained = ({ pattern, format, ...rule }: Body): boolean =>
      (pattern === undefined && format === undefined) || 'x-hint' in rule || 'x-problem' in rule;
    const unexplained: string[] = [];
    const walk = (node: unknown, path: string): void => {
      if (typeof node !== 'object' || node === null) return;
      if (!isExplained(node)) unexplained.push(path);
      for (const [name, member] of Object.entries(node)) walk(member, `${path}.${name}`);
    };
    for (const type of REQUEST_CLASSES) walk(jsonSchemaOf(type), type.name);
    expect(unexplained).toEqual([]);
  });

  it('tells at most a hundred problems, whatever the body', () => {
    const body = { ...payment(), ...Object.fromEntries(Array.from({ length: 1_500 }, (_, n) => [`k${n}`, 0])) };
    expect(errorOf('payment', body)?.details).toHaveLength(100);
  });

  it('tells all problems, in the order of their paths', () => {
    const body = { payer: {}, zebra: 1, amount: { value: 1 }, order: [] };
    const details = [
      'amount.currency REQUIRED',
      'amount.value INVALID_FORMAT',
      'order INVALID_FORMAT',
      'payer.payerId REQUIRED',
      'payer.paymentMethod REQUIRED',
      'zebra UNKNOWN_FIELD',
    ];
    expect(errorOf('payment', body)).toEqual({ code: 'VALIDATION_FAILED', details });
  });

  it('looks for one problem only in a body that is far too large', () => {
    const body = { ...payment(), ...Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, 0])) };
    expect(errorOf('payment', body)?.details).toHaveLength(1);
  });

  it('judges refunds', () => {
    expect(errorOf('refund', { amount: { value: '1.00', currency: 'EUR' } })).toBeNull();
    expect(
      errorOf('refund', {
        amount: { value: '1.00', currency: 'EUR' },
        reason: '',
        referenceId: 'r',
        notifyUrl: 'ftp://x.example/',
      }),
    ).toBeNull();
    expect(errorOf('refund', { referenceId: '' })?.details).toEqual(['amount REQUIRED', 'referenceId INVALID_FORMAT']);
  });

  it('judges batches', () => {
    const batch = (size: number) => errorOf('batch', { paymentIds: Array(size).fill('pay_x') });
    expect([batch(1), batch(100)]).toEqual([null, null]);
    expect([batch(0)?.code, batch(101)?.code, batch(20_000)?.code]).toEqual(Array(3).fill('BATCH_SIZE_INVALID'));
    expect(errorOf('batch', {})?.details).toEqual(['paymentIds REQUIRED']);
    expect(errorOf('batch', { paymentIds: 'pay_x' })?.details).toEqual(['paymentIds INVALID_FORMAT']);
    expect(errorOf('batch', { paymentIds: ['pay_x', 7] })?.details).toEqual(['paymentIds[1] INVALID_FORMAT']);
  });

  it('judges merchants', () => {
    expect(errorOf('merchant', { name: 'Shop' })).toBeNull();
    expect(errorOf('merchant', { merchantId: 'a-b', name: '' })?.details).toEqual([
      'merchantId INVALID_FORMAT',
      'name INVALID_FORMAT',
    ]);
  });
});
