import { createHash, createHmac } from 'node:crypto';

import { isAnswerSigned, isRequestSigned, isTimely, parseTime, signAnswer, signRequest } from './signing';

const SECRET = 'secret';
const REQUEST = {
  direction: 'request',
  method: 'POST',
  path: '/v1/captures',
  timestamp: '2026-01-15T12:00:00.000Z',
  requestId: 'id-1',
  body: Buffer.from('{"a":1}'),
} as const;
const ANSWER = { status: 200, mode: 'live', requestId: 'id-1', body: Buffer.from('{"a":1}') } as const;
const SHA256 = createHash('sha256').update('{"a":1}').digest('hex');
const hmac = (text: string) => `sha256=${createHmac('sha256', SECRET).update(text).digest('hex')}`;

describe('signatures', () => {
  it('are over these lines', () => {
    expect(signRequest(SECRET, REQUEST)).toBe(
      hmac(`request\nPOST\n/v1/captures\n2026-01-15T12:00:00.000Z\nid-1\n${SHA256}`),
    );
    expect(signAnswer(SECRET, ANSWER)).toBe(hmac(`answer\n200\nlive\nid-1\n${SHA256}`));
  });

  it.each([
    { direction: 'callback' as const },
    { method: 'GET' },
    { path: '/v1/refunds' },
    { path: '/v1/captures?' },
    { timestamp: '2026-01-15T12:00:00.001Z' },
    { requestId: 'id-2' },
    { body: Buffer.from('{"a":2}') },
  ])('do not fit a request with another %o', (change) => {
    const signature = signRequest(SECRET, REQUEST);
    expect(isRequestSigned(SECRET, signature, REQUEST)).toBe(true);
    expect(isRequestSigned(SECRET, signature, { ...REQUEST, ...change })).toBe(false);
    expect(isRequestSigned('other', signature, REQUEST)).toBe(false);
  });

  it.each([{ status: 404 }, { mode: 'sandbox' as const }, { requestId: 'id-2' }, { body: Buffer.from('{}') }])(
    'do not fit an answer with another %o',
    (change) => {
      const signature = signAnswer(SECRET, ANSWER);
      expect(isAnswerSigned(SECRET, signature, ANSWER)).toBe(true);
      expect(isAnswerSigned(SECRET, signature, { ...ANSWER, ...change })).toBe(false);
    },
  );

  it('have one spelling', () => {
    const signature = signRequest(SECRET, REQUEST);
    for (const other of ['', signature.slice(7), signature.toUpperCase(), `${signature} `, `${signature}00`]) {
      expect(isRequestSigned(SECRET, other, REQUEST)).toBe(false);
    }
  });
});

describe('times', () => {
  it.each([
    ['2026-01-15T12:00:00Z', Date.UTC(2026, 0, 15, 12)],
    ['2026-01-15T12:00:00.123456789Z', Date.UTC(2026, 0, 15, 12, 0, 0, 123)],
    ['2024-02-29T23:59:59.9Z', Date.UTC(2024, 1, 29, 23, 59, 59, 900)],
    ['2026-01-15t12:00:00z', Date.UTC(2026, 0, 15, 12)],
    ['2026-02-30T12:00:00Z', null],
    ['2026-01-15T24:00:00Z', null],
    ['2026-01-15T12:00:60Z', null],
    ['2026-01-15T12:00:00+00:00', null],
    ['2026-01-15 12:00:00Z', null],
    ['2026-01-15T12:00:00', null],
    ['', null],
  ])('%s', (text, ms) => {
    expect(parseTime(text)).toBe(ms);
  });

  it('are good for five minutes, either way', () => {
    const nowMs = Date.UTC(2026, 0, 15, 12);
    const at = (ms: number) => new Date(nowMs + ms).toISOString();
    expect([-300_000, 300_000].map((ms) => isTimely(at(ms), nowMs))).toEqual([true, true]);
    expect([-300_001, 300_001].map((ms) => isTimely(at(ms), nowMs))).toEqual([false, false]);
  });
});
