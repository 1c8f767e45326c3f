import { nearestName } from './nearest-name';

const NAMES = ['amount', 'order', 'notifyUrl', 'returnUrl', 'cvv', 'to'];

describe('the name that was probably meant', () => {
  it.each([
    ['notifyURL', 'notifyUrl'],
    ['NOTIFYURL', 'notifyUrl'],
    ['notify_url', 'notifyUrl'],
    ['notifyUrls', 'notifyUrl'],
    ['amuont', 'amount'],
    ['cvc', 'cvv'],
    ['Order', 'order'],
    ['To', 'to'],
  ])('of %s is %s', (given, meant) => {
    expect(nearestName(given, NAMES)).toBe(meant);
  });

  it.each(['webhookUrl', 'x', 'cc', 'ta', '', 'a'.repeat(100_000)])('of %.20s is none', (given) => {
    expect(nearestName(given, NAMES)).toBeNull();
  });

  it('is none where there are no names', () => {
    expect(nearestName('a', [])).toBeNull();
  });
});
