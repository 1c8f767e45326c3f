import { returnLocation, returnSource } from './return-url';

const PAYMENT = 'pay_00000000000000000000000001';

describe('the way back to the merchant', () => {
  it.each([
    ['https://shop.example', `https://shop.example/?paymentId=${PAYMENT}&status=AUTHENTICATED`],
    ['https://shop.example/done', `https://shop.example/done?paymentId=${PAYMENT}&status=AUTHENTICATED`],
    ['https://shop.example/done?', `https://shop.example/done?paymentId=${PAYMENT}&status=AUTHENTICATED`],
    [
      'https://shop.example/done?q=a%20b+c&empty=#top',
      `https://shop.example/done?q=a%20b+c&empty=&paymentId=${PAYMENT}&status=AUTHENTICATED#top`,
    ],
    ['http://127.0.0.1:8080/x#y', `http://127.0.0.1:8080/x?paymentId=${PAYMENT}&status=AUTHENTICATED#y`],
    ['https://müller.example/ü', `https://xn--mller-kva.example/%C3%BC?paymentId=${PAYMENT}&status=AUTHENTICATED`],
    ['http://[::1]:8080/', `http://[::1]:8080/?paymentId=${PAYMENT}&status=AUTHENTICATED`],
  ])('%s keeps its own query and fragment', (returnUrl, location) => {
    expect(returnLocation(returnUrl, PAYMENT, 'succeeded')).toBe(location);
  });

  it('tells how the step ended', () => {
    expect(returnLocation('https://shop.example/', PAYMENT, 'failed')).toMatch(/&status=DECLINED$/);
    expect(returnLocation('https://shop.example/', PAYMENT, 'expired')).toMatch(/&status=EXPIRED$/);
    expect(returnLocation('https://shop.example/', PAYMENT, 'cancelled')).toMatch(/&status=CANCELLED$/);
  });

  it.each([null, '', 'shop.example', '/done', 'javascript:alert(1)', 'data:text/html,x', 'ftp://shop.example/'])(
    'does not lead to %j',
    (returnUrl) => {
      expect(returnLocation(returnUrl, PAYMENT, 'succeeded')).toBeNull();
      expect(returnSource(returnUrl)).toBeNull();
    },
  );

  it('is named in the policy by its scheme alone', () => {
    expect(returnSource('https://user:secret@shop.example:8443/a?b#c')).toBe('https:');
    expect(returnSource('https://shop.example;sandbox/')).toBe('https:');
    expect(returnSource('http://[::1]:8080/')).toBe('http:');
  });
});
