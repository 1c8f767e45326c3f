import { type Body, judges, payment } from './testing/bodies';

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

describe('texts', () => {
  const hostile = ['\0', '\u001b[2J', '\u007f', '\u009b', '\u2028', '\u202e', '\u2066', '\u202a'];
  const texts: readonly [string, (body: Body, text: string) => void, boolean][] = [
    ['order.orderId', (body, text) => (body['order'].orderId = text), false],
    ['order.description', (body, text) => (body['order'].description = text), true],
    ['order.items[0].sku', (body, text) => (body['order'].items[0].sku = text), false],
    ['order.items[0].name', (body, text) => (body['order'].items[0].name = text), false],
    ['payer.payerId', (body, text) => (body['payer'].payerId = text), false],
    [
      'payer.paymentMethod.card.holderName',
      (body, text) => (body['payer'].paymentMethod.card.holderName = text),
      false,
    ],
    ['riskData.deviceFingerprint', (body, text) => (body['riskData'].deviceFingerprint = text), false],
    ['merchantMetadata.colour', (body, text) => (body['merchantMetadata'].colour = text), false],
  ];

  it.each(texts)('takes nothing into %s that moves a cursor or turns the writing direction', (field, change, lines) => {
    for (const text of hostile)
      expect(detailsOf((body) => change(body, `a${text}b`))).toEqual([`${field} INVALID_FORMAT`]);
    for (const text of ['می\u200cخواهم', '👩\u200d👧', 'שלום\u200f!', 'é', '日本']) {
      expect(detailsOf((body) => change(body, text))).toBeNull();
    }
    const broken = lines ? null : [`${field} INVALID_FORMAT`];
    for (const text of ['a\nb', 'a\tb', 'a\r\nb']) expect(detailsOf((body) => change(body, text))).toEqual(broken);
  });

  const blanks = [' ', '\u00a0\u2003', '\u200b', '\u3164', '\ufeff ', '\u00ad\u2060'];
  const required = texts.filter(([field]) => /orderId|payerId|sku/.test(field));

  it.each(required)('takes nothing into %s that shows nothing', (field, change) => {
    for (const text of blanks) expect(detailsOf((body) => change(body, text))).toEqual([`${field} INVALID_FORMAT`]);
    for (const text of [' x', '\u200bx ', '.', '\u200dم']) expect(detailsOf((body) => change(body, text))).toBeNull();
  });

  it('that must be there show something everywhere, and may be blank where they may be empty', () => {
    for (const text of blanks) {
      const refund = { amount: { value: '1.00', currency: 'EUR' }, reason: text, referenceId: text };
      expect(errorOf('refund', refund)?.details).toEqual(['referenceId INVALID_FORMAT']);
      expect(errorOf('merchant', { name: text })?.details).toEqual(['name INVALID_FORMAT']);
      expect(errorOf('skip', { position: '1', reason: `\n${text}` })?.details).toEqual(['reason INVALID_FORMAT']);
      expect(detailsOf((body) => (body['order'].description = text))).toBeNull();
      expect(detailsOf((body) => (body['merchantMetadata'] = { [text]: text }))).toHaveLength(1);
    }
    const explained = judges.merchant({ name: ' ' });
    expect('error' in explained && explained.error.details?.[0]?.message).toMatch(/^More than blanks\. /);
  });

  it('takes line breaks into reasons, and nothing else of the kind', () => {
    const refund = { amount: { value: '1.00', currency: 'EUR' } };
    expect(errorOf('refund', { ...refund, reason: 'too small\nand late' })).toBeNull();
    expect(errorOf('refund', { ...refund, reason: 'x\u202e' })?.details).toEqual(['reason INVALID_FORMAT']);
    expect(errorOf('refund', { ...refund, referenceId: 'x\n' })?.details).toEqual(['referenceId INVALID_FORMAT']);
    expect(errorOf('merchant', { name: 'Shop\u202e' })?.details).toEqual(['name INVALID_FORMAT']);
  });

  it('takes an order id of 80 characters outside the basic plane', () => {
    expect(detailsOf((body) => (body['order'].orderId = '😀'.repeat(80)))).toBeNull();
  });

  it('that are keys are shown so that no terminal is moved, and are judged likewise', () => {
    expect(detailsOf((body) => (body['a\u202eb\u009bc'] = 1))).toEqual(['["a\\u202eb\\u009bc"] UNKNOWN_FIELD']);
    expect(detailsOf((body) => (body['merchantMetadata']['a\0'] = ''))).toEqual([
      'merchantMetadata["a\\u0000"] INVALID_FORMAT',
    ]);
  });
});
