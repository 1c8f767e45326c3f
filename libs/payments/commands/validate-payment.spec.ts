import { CARD, paymentRequest } from '@app/payments/testing/payment-requests';
import type { NotifyUrlPolicy } from './notify-url-policy';
import type { CreatePaymentRequest, CreateRefundRequest } from './requests';
import { cancellationProblems, validateCapture, validatePayment, validateRefund } from './validate-payment';

const NOW_MS = Date.UTC(2026, 0, 15, 12);
const OTHER_NUMBER = '4242424242424242';
const GTIN_LIKE_A_CARD = '36141411234099';
const urls: NotifyUrlPolicy = {
  refusalOf: (url) => (url.startsWith('https://') ? null : 'Use https.'),
};
const validate = (request: CreatePaymentRequest) => validatePayment(request, NOW_MS, urls);

/** `<field> <code>` of each problem. */
function problemsOf(request: CreatePaymentRequest): string[] {
  const validated = validate(request);
  return 'problems' in validated ? validated.problems.map(({ field, code }) => `${field} ${code}`) : [];
}

describe('validatePayment', () => {
  it('gives the amount in minor units', () => {
    expect(validate(paymentRequest())).toEqual({ amount: { amountMinor: 1_000n, currency: 'EUR' } });
    const yen = paymentRequest({ amount: { value: '10', currency: 'JPY' }, order: { orderId: 'o' } });
    expect(validate(yen)).toEqual({ amount: { amountMinor: 10n, currency: 'JPY' } });
  });

  it.each([
    ['0', 'EUR'],
    ['0.00', 'EUR'],
    ['1.001', 'EUR'],
    ['1.0', 'JPY'],
    ['-1', 'EUR'],
    ['1e3', 'EUR'],
    ['', 'EUR'],
  ])('refuses the amount %j %s', (value, currency) => {
    expect(problemsOf(paymentRequest({ amount: { value, currency }, order: { orderId: 'o' } }))).toEqual([
      'amount.value INVALID_AMOUNT',
    ]);
  });

  it.each(['eur', 'XXX', 'XAU', 'XTS', 'EURO', ''])(
    'refuses the currency %j, and does not judge prices in it',
    (currency) => {
      expect(problemsOf(paymentRequest({ amount: { value: '1.00000', currency } }))).toEqual([
        'amount.currency CURRENCY_NOT_SUPPORTED',
      ]);
    },
  );

  it("judges prices by the payment's currency, and takes free items", () => {
    const items = [{ unitPrice: '0' }, {}, { unitPrice: '1.005' }, { unitPrice: '0.01' }];
    expect(problemsOf(paymentRequest({ order: { orderId: 'o', items } }))).toEqual([
      'order.items[2].unitPrice INVALID_AMOUNT',
    ]);
  });

  it('refuses a card number whose check digit is wrong, and a card that has expired', () => {
    expect(problemsOf(paymentRequest({}, { number: '4111111111111112' }))).toEqual([
      'payer.paymentMethod.card.number INVALID_CARD_NUMBER',
    ]);
    expect(problemsOf(paymentRequest({}, { expiryMonth: '12', expiryYear: '2025' }))).toEqual([
      'payer.paymentMethod.card.expiryYear CARD_EXPIRED',
    ]);
    expect(problemsOf(paymentRequest({}, { expiryMonth: '01', expiryYear: '2026' }))).toEqual([]);
  });

  it.each<[string, Partial<typeof CARD>, string | null]>([
    [
      'zeros alone',
      { number: '0000000000000000' },
      'number INVALID_CARD_NUMBER: No card has zeros alone for its number.',
    ],
    [
      'a year that no card reaches',
      { expiryYear: '9999' },
      'expiryYear INVALID_FORMAT: A card expires at most 20 years ahead.',
    ],
    [
      'the first such year',
      { expiryYear: '2047' },
      'expiryYear INVALID_FORMAT: A card expires at most 20 years ahead.',
    ],
    ['the last year of any card', { expiryYear: '2046' }, null],
    ['four digits of Visa', { cvv: '1234' }, 'cvv INVALID_FORMAT: The security code of this card has 3 digits.'],
    [
      'three digits of American Express',
      { number: '378282246310005', cvv: '123' },
      'cvv INVALID_FORMAT: The security code of this card has 4 digits.',
    ],
    ['four digits of American Express', { number: '378282246310005', cvv: '1234' }, null],
  ])('judges a card with %s', (_what, card, problem) => {
    const validated = validate(paymentRequest({}, card));
    const told =
      'problems' in validated ? validated.problems.map((one) => `${one.field} ${one.code}: ${one.message}`) : [];
    expect(told).toEqual(problem === null ? [] : [`payer.paymentMethod.card.${problem}`]);
  });

  it('refuses a URL that the policy refuses, with its words', () => {
    expect(validate(paymentRequest({ notifyUrl: 'http://shop.test/' }))).toEqual({
      problems: [{ field: 'notifyUrl', code: 'URL_NOT_ALLOWED', message: 'Use https.' }],
    });
  });

  it('names all problems at once, each field once', () => {
    const request = paymentRequest(
      { amount: { value: '0', currency: 'EUR' }, notifyUrl: 'ftp://x', merchantMetadata: { note: CARD.number } },
      { expiryYear: '2020' },
    );
    expect(problemsOf(request)).toEqual([
      'amount.value INVALID_AMOUNT',
      'payer.paymentMethod.card.expiryYear CARD_EXPIRED',
      'notifyUrl URL_NOT_ALLOWED',
      'merchantMetadata.note CARD_DATA_NOT_ALLOWED',
    ]);
  });
});

describe('card data where it does not belong', () => {
  const order = { orderId: 'o' };

  it.each<[string, Partial<CreatePaymentRequest>, string]>([
    ['the order id', { order: { orderId: `o-${OTHER_NUMBER}` } }, 'order.orderId'],
    ['a description', { order: { ...order, description: `for ${OTHER_NUMBER}` } }, 'order.description'],
    ["an item's name", { order: { ...order, items: [{}, { name: '4242 4242 4242 4242' }] } }, 'order.items[1].name'],
    ["an item's sku", { order: { ...order, items: [{ sku: OTHER_NUMBER }] } }, 'order.items[0].sku'],
    ['a metadata value', { merchantMetadata: { note: OTHER_NUMBER } }, 'merchantMetadata.note'],
    ['a metadata key', { merchantMetadata: { [OTHER_NUMBER]: 'x' } }, 'merchantMetadata'],
    ['the path of a URL', { returnUrl: `https://shop.test/${OTHER_NUMBER}/x` }, 'returnUrl'],
    ['the query of a URL', { returnUrl: `https://shop.test/?c=4242%204242%204242%204242` }, 'returnUrl'],
    ['the fragment of a URL', { returnUrl: `https://shop.test/#${OTHER_NUMBER}` }, 'returnUrl'],
    ['the host of a URL', { notifyUrl: `https://4242-4242-4242-4242.shop.test/` }, 'notifyUrl'],
    ['the risk data', { riskData: { deviceFingerprint: OTHER_NUMBER } }, 'riskData.deviceFingerprint'],
  ])('is any card number in %s', (_place, change, field) => {
    expect(problemsOf(paymentRequest(change))).toEqual([`${field} CARD_DATA_NOT_ALLOWED`]);
  });

  it('is any card number in the reference of the payer', () => {
    const request = paymentRequest();
    const payer = { ...request.payer, payerId: `payer_${OTHER_NUMBER}` };
    expect(problemsOf({ ...request, payer })).toEqual(['payer.payerId CARD_DATA_NOT_ALLOWED']);
  });

  it('is no article number: a GTIN-14 may look like a card of Diners Club', () => {
    const item = (field: 'sku' | 'name') => ({ order: { ...order, items: [{ [field]: GTIN_LIKE_A_CARD }] } });
    expect(problemsOf(paymentRequest(item('sku')))).toEqual([]);
    expect(problemsOf(paymentRequest(item('name')))).toEqual(['order.items[0].name CARD_DATA_NOT_ALLOWED']);
    const named = { merchantMetadata: { gtin: GTIN_LIKE_A_CARD } };
    expect(problemsOf(paymentRequest(named))).toEqual([]);
  });

  it.each<[string, CreatePaymentRequest, string]>([
    ['the order id', paymentRequest({ order: { orderId: `o-${CARD.number}` } }), 'order.orderId'],
    ['the holder name', paymentRequest({}, { holderName: CARD.number }), 'payer.paymentMethod.card.holderName'],
    ['a URL', paymentRequest({ returnUrl: `https://shop.test/?c=${CARD.number}` }), 'returnUrl'],
    ['the webhook URL', paymentRequest({ notifyUrl: `https://shop.test/${CARD.number}` }), 'notifyUrl'],
    [
      'the risk data',
      paymentRequest({ riskData: { geoLocation: { city: CARD.number } } }),
      'riskData.geoLocation.city',
    ],
    ['a metadata key', paymentRequest({ merchantMetadata: { [`x${CARD.number}`]: '' } }), 'merchantMetadata'],
  ])("is the request's own number in %s, too", (_place, request, field) => {
    expect(problemsOf(request)).toEqual([`${field} CARD_DATA_NOT_ALLOWED`]);
  });

  it.each([
    ['returnUrl', 'https://shop.test/?c=4111%201111%201111%201111'],
    ['returnUrl', 'https://shop.test/%34%31%31%31%31%31%31%31%31%31%31%31%31%31%31%31'],
    ['notifyUrl', 'https://shop.test/?next=%2F%3Fc%3D4111%25201111%25201111%25201111'],
  ])('is the own number percent-encoded in %s: %s', (field, url) => {
    expect(problemsOf(paymentRequest({ [field]: url }))).toEqual([`${field} CARD_DATA_NOT_ALLOWED`]);
  });

  it('never comes back in what is answered, however it is hidden in a key', () => {
    for (const key of [OTHER_NUMBER, CARD.number, CARD.number.split('').join('_'), `1234${CARD.number}5678`]) {
      const validated = validate(paymentRequest({ merchantMetadata: { [key]: CARD.number } }));
      expect(validated).toHaveProperty('problems');
      expect(JSON.stringify(validated)).not.toContain(key);
      expect(JSON.stringify(validated).replace(/\D/g, '')).not.toContain(CARD.number);
    }
  });

  it('is not its number in its own field, nor an ordinary number elsewhere', () => {
    expect(
      problemsOf(paymentRequest({ merchantMetadata: { phone: '+49 431 1234567', ean: '4006381333931' } })),
    ).toEqual([]);
  });
});

describe('validateRefund', () => {
  const MASKED = '411111******1111';
  const validateIt = (request: CreateRefundRequest) => validateRefund(request, MASKED, urls);
  const refund = { amount: { value: '1.00', currency: 'EUR' }, reason: 'too small', referenceId: 'rma-1' };

  it('gives the amount', () => {
    expect(validateIt(refund)).toEqual({ amount: { amountMinor: 100n, currency: 'EUR' } });
  });

  it.each([
    ['amount.value', 'INVALID_AMOUNT', { amount: { value: '0', currency: 'EUR' } }],
    ['amount.currency', 'CURRENCY_NOT_SUPPORTED', { amount: { value: '1', currency: 'eur' } }],
    ['reason', 'CARD_DATA_NOT_ALLOWED', { reason: `card ${OTHER_NUMBER}` }],
    ['reason', 'CARD_DATA_NOT_ALLOWED', { reason: `card ${CARD.number.split('').join('x')}` }],
    ['referenceId', 'CARD_DATA_NOT_ALLOWED', { referenceId: `rma-${CARD.number}` }],
    ['referenceId', 'CARD_DATA_NOT_ALLOWED', { referenceId: OTHER_NUMBER }],
    ['notifyUrl', 'CARD_DATA_NOT_ALLOWED', { notifyUrl: `https://x.test/${OTHER_NUMBER}` }],
    ['notifyUrl', 'CARD_DATA_NOT_ALLOWED', { notifyUrl: 'https://x.test/?c=4111%201111%201111%201111' }],
    ['notifyUrl', 'URL_NOT_ALLOWED', { notifyUrl: 'http://x.test/' }],
  ])('refuses %s with %s', (field, code, change) => {
    const validated = validateIt({ ...refund, ...change });
    expect(validated).toMatchObject({ problems: [{ field, code }] });
  });
});

describe('a capture or cancellation', () => {
  const MASKED = '411111******1111';
  const misplaced = (field: string) => [expect.objectContaining({ field, code: 'CARD_DATA_NOT_ALLOWED' })];

  it('holds no card number in its reason', () => {
    const problems = (reason: string) => cancellationProblems({ reason }, MASKED);
    expect(problems('sold out')).toEqual([]);
    expect(problems(`card ${OTHER_NUMBER}`)).toEqual(misplaced('reason'));
    expect(problems(`9${CARD.number}`)).toEqual(misplaced('reason'));
    expect(validateCapture({})).toEqual({ amount: null });
    const amount = { value: '1.00', currency: 'EUR' };
    expect(validateCapture({ amount })).toEqual({ amount: { amountMinor: 100n, currency: 'EUR' } });
  });
});
