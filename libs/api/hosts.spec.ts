import { judges, payment } from './testing/bodies';

/** The problems of a payment with this URL as either of its URLs. */
function problemsOf(url: string): readonly string[] {
  const judged = judges.payment({ ...payment(), notifyUrl: url, returnUrl: url });
  return 'error' in judged ? (judged.error.details ?? []).map(({ field, code }) => `${field} ${code}`) : [];
}

describe('the host of a URL', () => {
  it.each([
    `https://${'a'.repeat(63)}.example/`,
    `https://${'a'.repeat(61)}.${'b.'.repeat(95)}c/`,
    'https://shop.example./',
    'https://[2606:4700:4700::1111]/',
    'http://127.0.0.1:8080/x?y=..',
    'https://localhost/',
  ])('may be that of %s', (url) => {
    expect(problemsOf(url)).toEqual([]);
  });

  it.each([
    ['an empty label', 'https://a..b.com/'],
    ['a dot before it', 'https://.b.com/'],
    ['two dots behind it', 'https://b.com../'],
    ['nothing but a dot', 'https://./'],
    ['a label of 64 characters', `https://${'a'.repeat(64)}.example/`],
    ['a label that is longer in the spelling of DNS', `https://xn--${'a'.repeat(60)}.example/`],
    ['254 characters', `https://${'a'.repeat(62)}.${'b.'.repeat(95)}c/`],
  ])('has not %s', (_what, url) => {
    expect(problemsOf(url)).toEqual(['notifyUrl INVALID_FORMAT', 'returnUrl INVALID_FORMAT']);
  });
});
