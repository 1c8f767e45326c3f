import { askedPath } from './asked-path';

const TOKEN = 'Zk3v9QhL0aXbTn-4cUe_7RfYpWm1sDgJ2iKoHx5Ny8E';

describe('a path in the log', () => {
  it.each([
    ['/api/v1/payments', '/api/v1/payments'],
    ['/api/v2/Payments/', '/api/v2/Payments/'],
    ['/api/v2/all-of-the-webhook-deliveries?token=secret', '/api/v2/all-of-the-webhook-deliveries'],
    [`/api/v2/payment/pay_${'0Z'.repeat(13)}`, `/api/v2/payment/pay_${'0Z'.repeat(13)}`],
    [`/api/v2/refund/ref_${'0Z'.repeat(21)}`, `/api/v2/refund/ref_${'0Z'.repeat(21)}`],
    ['/wp-login.php', '/wp-login.php'],
    ['/', '/'],
  ])('stands as it was asked: %s', (target, path) => {
    expect(askedPath(target)).toBe(path);
  });

  it.each([
    [`/3ds/${TOKEN}`, '/3ds/[token]'],
    [`/sandbox/3ds/${TOKEN}/`, '/sandbox/3ds/[token]/'],
    [`/sandbox/3ds/cft_${TOKEN}.${TOKEN}`, '/sandbox/3ds/[token].[token]'],
    [`/${'0123456789abcdef'.repeat(4)}`, '/[token]'],
    [`/${[...TOKEN].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')}`, '/[token]'],
    ['/orders/1234567890123/x', '/orders/[digits]/x'],
  ])('shows no secret: %s', (target, path) => {
    expect(askedPath(target)).toBe(path);
  });

  it.each([
    '/cards/4111111111111111',
    '/cards/4111-1111-1111-1111/x',
    '/cards/4111%201111%201111%201111',
    '/%34%31%31%31%31%31%31%31%31%31%31%31%31%31%31%31',
  ])('shows no card number: %s', (target) => {
    expect(askedPath(target)).toBe('withheld');
  });

  it('shows no user of another form', () => {
    for (const target of ['https://me:secret@x/path', 'http://x@/', '*', '']) expect(askedPath(target)).toBe('unknown');
  });

  it('is short, and in visible characters', () => {
    expect(askedPath(`/${'a/'.repeat(8_000)}`)).toMatch(/^[a/]{200}\[cut\]$/);
    expect(askedPath('/a b\n\x1b[31m\x9b\xff')).toBe('/a%20b%0A%1B[31m%9B%FF');
  });
});
