import fc from 'fast-check';
import { MAX_ATTEMPTS, nextAttemptAtMs, parseRetryAfter, RETRY_DELAYS_MS } from './schedule';

const NOW = Date.UTC(2026, 0, 15, 12, 0, 0);
const attempts = fc.integer({ min: 1, max: RETRY_DELAYS_MS.length });
const jitters = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const base = (attempt: number) => RETRY_DELAYS_MS[attempt - 1] ?? 0;

/** The whole schedule in one place; the other specs rely on it. */
it('retries after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h', () => {
  const delays = RETRY_DELAYS_MS.map((_, index) => {
    const at = nextAttemptAtMs({ attempt: index + 1, nowMs: NOW, jitter: 0.5, retryAfterMs: null });
    return at === 'exhausted' ? at : (at - NOW) / 1_000;
  });
  expect(delays).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
});

describe('nextAttemptAtMs', () => {
  it('stays within a fifth of the wait, and grows with the jitter', () => {
    fc.assert(
      fc.property(attempts, jitters, (attempt, jitter) => {
        const at = nextAttemptAtMs({ attempt, nowMs: NOW, jitter, retryAfterMs: null });
        expect(Number.isInteger(at)).toBe(true);
        expect(Number(at) - NOW).toBeGreaterThanOrEqual(base(attempt) * 0.8);
        expect(Number(at) - NOW).toBeLessThanOrEqual(base(attempt) * 1.2);
      }),
    );
    const at = (jitter: number) => nextAttemptAtMs({ attempt: 1, nowMs: 0, jitter, retryAfterMs: null });
    expect([at(0), at(0.25), at(0.999999)]).toEqual([4_000, 4_500, 6_000]);
  });

  it('heeds Retry-After within once to twice the wait, and never comes sooner than asked within it', () => {
    fc.assert(
      fc.property(attempts, jitters, fc.double({ min: 0, max: 1e9, noNaN: true }), (attempt, jitter, retryAfterMs) => {
        const waitMs = Number(nextAttemptAtMs({ attempt, nowMs: NOW, jitter, retryAfterMs })) - NOW;
        expect(waitMs).toBeGreaterThanOrEqual(base(attempt));
        expect(waitMs).toBeLessThanOrEqual(2 * base(attempt));
        expect(waitMs).toBeGreaterThanOrEqual(Math.min(Math.floor(retryAfterMs), 2 * base(attempt)));
      }),
    );
    const at = (retryAfterMs: number) => nextAttemptAtMs({ attempt: 1, nowMs: 0, jitter: 0, retryAfterMs });
    expect([at(0), at(7_000), at(60_000)]).toEqual([5_000, 7_000, 10_000]);
  });

  it('is exhausted after the tenth attempt', () => {
    expect(MAX_ATTEMPTS).toBe(10);
    for (const attempt of [10, 11, 1_000]) {
      expect(nextAttemptAtMs({ attempt, nowMs: NOW, jitter: 0, retryAfterMs: 1 })).toBe('exhausted');
    }
  });

  it.each([0, -1, 1.5, NaN])('attempts count from 1, not %s', (attempt) => {
    expect(() => nextAttemptAtMs({ attempt, nowMs: NOW, jitter: 0, retryAfterMs: null })).toThrow(RangeError);
  });

  it.each([1, -0.1, NaN])('jitter is a fraction, not %s', (jitter) => {
    expect(() => nextAttemptAtMs({ attempt: 1, nowMs: NOW, jitter, retryAfterMs: null })).toThrow(RangeError);
  });
});

describe('parseRetryAfter', () => {
  const twoDaysMs = 48 * 3_600_000;

  it.each([
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7_000],
    ['99999999999999999999999999999999', twoDaysMs],
    ['9'.repeat(400), twoDaysMs],
    ['Thu, 15 Jan 2026 12:00:30 GMT', 30_000],
    ['Thursday, 15-Jan-26 12:00:30 GMT', 30_000],
    ['Thu Jan 15 12:00:30 2026', 30_000],
    ['Sun Feb  1 12:00:00 2026', twoDaysMs],
    ['Thu, 15 Jan 2026 11:00:00 GMT', 0],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 0],
    ['Thu, 15 Jan 2026 12:00:60 GMT', 60_000],
  ])('%s is %d ms', (header, expected) => {
    expect(parseRetryAfter(header, NOW)).toBe(expected);
  });

  it.each(
    [null, undefined, '', '-1', '1.5', '+1', '0x10', '1, 2', 'soon', '2026-01-15T12:00:30Z'].concat([
      'Mon, 30 Feb 2026 12:00:00 GMT',
      'Thu, 15 Jan 2026 24:00:00 GMT',
      'Thu, 15 Jan 2026 12:60:00 GMT',
      'Thu, 15 jan 2026 12:00:00 GMT',
      'Thu, 15 Jan 2026 12:00:00 CET',
      'Thu, 00 Jan 2026 12:00:00 GMT',
      'Thu, 15 Jan 2026 12:00:00 GMT, 5',
    ]),
  )('malformed: %s', (header) => {
    expect(parseRetryAfter(header, NOW)).toBeNull();
  });

  it('reads back every date that toUTCString writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 172_800 }), (seconds) => {
        expect(parseRetryAfter(new Date(NOW + seconds * 1_000).toUTCString(), NOW)).toBe(seconds * 1_000);
      }),
    );
  });
});
