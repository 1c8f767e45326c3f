import { isSignedBy, signedText, type SignedRequest } from './signature';

/** The documentation's worked example; its values were computed with another implementation. */
const EXAMPLE: SignedRequest = {
  method: 'POST',
  pathWithQuery: '/api/v2/payments',
  timestamp: '2030-01-01T00:00:00.000Z',
  merchantId: 'mer_demo',
  idempotencyKey: 'order-1-attempt-1',
  body: Buffer.from('{"amount":{"value":"12.50","currency":"EUR"}}'),
};
const EXAMPLE_SIGNATURE = 'sha256=331a58c565afa5aee70a43a3188a2da3faf201bda5f96c15d8bd74f88f457499';
const READ: SignedRequest = {
  method: 'GET',
  pathWithQuery: '/api/v2/payments/pay_X?a=1',
  timestamp: '2030-01-01T00:00:00Z',
  merchantId: '',
  idempotencyKey: '',
  body: new Uint8Array(),
};

describe('the signature', () => {
  it('covers six lines', () => {
    expect(signedText(EXAMPLE)).toBe(
      [
        'POST',
        '/api/v2/payments',
        '2030-01-01T00:00:00.000Z',
        'mer_demo',
        'order-1-attempt-1',
        '3d28d2b31793d35fb7f242b604ac49dd7a22a585281fd194cd2076757d18399b',
      ].join('\n'),
    );
  });

  it('is the HMAC under the secret as printed', () => {
    expect(isSignedBy(['sk_demo_secret'], EXAMPLE_SIGNATURE, EXAMPLE)).toBe(true);
    const signature = 'sha256=35aa63063611829d01d3a5017d4cbba63c9b7a5233768dc08c51dbd9364c127a';
    expect(isSignedBy(['sk_ü'], signature, READ)).toBe(true);
  });

  it('may be under any of the live secrets, and under none without one', () => {
    expect(isSignedBy(['new', 'sk_demo_secret'], EXAMPLE_SIGNATURE, EXAMPLE)).toBe(true);
    expect(isSignedBy(['sk_demo_secret', 'old'], EXAMPLE_SIGNATURE, EXAMPLE)).toBe(true);
    expect(isSignedBy(['new'], EXAMPLE_SIGNATURE, EXAMPLE)).toBe(false);
    expect(isSignedBy([], EXAMPLE_SIGNATURE, EXAMPLE)).toBe(false);
  });

  it.each<[string, Partial<SignedRequest>]>([
    ['method', { method: 'PUT' }],
    ['path', { pathWithQuery: '/api/v2/payments?' }],
    ['timestamp', { timestamp: '2030-01-01T00:00:00Z' }],
    ['merchant', { merchantId: 'mer_other' }],
    ['idempotency key', { idempotencyKey: 'order-1-attempt-2' }],
    ['body', { body: Buffer.from('{"amount":{"value":"12.51","currency":"EUR"}}') }],
  ])('does not hold for another %s', (_name, change) => {
    expect(isSignedBy(['sk_demo_secret'], EXAMPLE_SIGNATURE, { ...EXAMPLE, ...change })).toBe(false);
  });

  it.each([
    ['nothing', ''],
    ['upper-case digits', EXAMPLE_SIGNATURE.toUpperCase().replace('SHA256', 'sha256')],
    ['an upper-case name', EXAMPLE_SIGNATURE.replace('sha256', 'SHA256')],
    ['no name', EXAMPLE_SIGNATURE.slice(7)],
    ['another algorithm', EXAMPLE_SIGNATURE.replace('sha256', 'sha1')],
    ['one digit less', EXAMPLE_SIGNATURE.slice(0, -1)],
    ['one digit more', `${EXAMPLE_SIGNATURE}0`],
    ['a blank in front', ` ${EXAMPLE_SIGNATURE}`],
    ['a line break at the end', `${EXAMPLE_SIGNATURE}\n`],
    ['two signatures', `${EXAMPLE_SIGNATURE}, ${EXAMPLE_SIGNATURE}`],
    ['other characters', `sha256=${'z'.repeat(64)}`],
    ['base64', `sha256=${Buffer.from(EXAMPLE_SIGNATURE.slice(7), 'hex').toString('base64')}`],
  ])('has one spelling: not %s', (_name, signature) => {
    expect(isSignedBy(['sk_demo_secret'], signature, EXAMPLE)).toBe(false);
  });
});
