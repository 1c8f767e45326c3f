import { Beginning, MAX_BEGINNING_LENGTH } from './answer-beginning';

function shown(text: string | Uint8Array, type?: string, encoding?: string): string | null {
  const beginning = new Beginning();
  // As it arrives over a network: in pieces that don't respect character boundaries.
  for (const byte of Buffer.from(text)) beginning.add(Uint8Array.of(byte));
  return beginning.text(type, encoding);
}

it.each([
  ['text/html; charset=utf-8', '<h1>Bad Gateway</h1>'],
  ['application/problem+json', '{"title":"no such order"}'],
  ['application/json', '{"a":1}'],
  [undefined, 'nothing said of it'],
])('a text of type %s is shown', (type, text) => {
  expect(shown(text, type)).toBe(text);
});

it.each([
  ['image/png', undefined],
  ['application/octet-stream', undefined],
  ['text/plain', 'gzip'],
])('what is no text (%s, %s) is not', (type, encoding) => {
  expect(shown('abc', type, encoding)).toBeNull();
});

it('an empty answer has no beginning', () => {
  expect(shown('', 'text/plain')).toBeNull();
});

it('ends after so many characters, and never in the midst of one', () => {
  expect(shown('ä'.repeat(20_000), 'text/plain')).toBe('ä'.repeat(MAX_BEGINNING_LENGTH));
  expect(shown(`x${'😀'.repeat(5_000)}`, 'text/plain')).toBe(`x${'😀'.repeat(499)}\ufffd`);
  expect(shown(Buffer.from('ä').subarray(0, 1), 'text/plain')).toBe('');
});

it('spells out what a terminal would obey, or nobody would see', () => {
  expect(shown('a\r\nb\x1b[2Jc\x7fd\u202ee\u0085', 'text/plain')).toBe('a␍␊b␛[2Jc␡d\\u{202e}e\\u{85}');
});

it.each([
  ['in one row', 'card 4111111111111111 refused', 'card [digits] refused'],
  ['in groups', '{"pan":"4111 1111-1111 1111"}', '{"pan":"[digits]"}'],
  ['with dots', 'pan=4111.1111.1111.1111', '(withheld: it holds a card number)'],
  [
    'with HTML entities between',
    'card 4111&nbsp;1111&#8209;1111&#x20;1111 refused',
    '(withheld: it holds a card number)',
  ],
  [
    'with escapes between',
    String.raw`{"pan":"4111\u00a01111\u00a01111\xa01111"}`,
    '(withheld: it holds a card number)',
  ],
  ['percent-encoded', 'pan=%34111111111111111', null],
])('shows no card number %s', (_how, text, expected) => {
  const given = shown(text, 'text/plain')!;
  if (expected !== null) expect(given).toBe(expected);
  expect(given.replace(/%34/g, '4').replace(/\D/g, '')).not.toContain('4111111111111111');
});

it('shows no card number that goes on behind its end', () => {
  for (let before = MAX_BEGINNING_LENGTH - 19; before <= MAX_BEGINNING_LENGTH; before += 1) {
    const given = shown(`${'x'.repeat(before)} 4111 1111 1111 1111`, 'text/plain')!;
    expect(given.slice(before)).not.toMatch(/[0-9]/);
  }
});
