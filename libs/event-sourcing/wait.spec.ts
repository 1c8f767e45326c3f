import { dueAfter, dueAtOnce, dueOn, isOver } from './wait';

const NOW = 1_700_000_000_000;
const HOUR = 3_600_000;
const over = (wait: Parameters<typeof isOver>[0], wallMs: number, settledMs = wallMs) =>
  isOver(wait, { nowMs: () => wallMs, settledMs: () => settledMs });

describe('a wait', () => {
  it.each([-HOUR, -1, 0, 1, HOUR])('for an item that is due at once is over by a clock that is off by %d ms', (off) => {
    expect(over(dueAtOnce(NOW), NOW + off)).toBe(true);
    expect(over(dueAfter(NOW, NOW), NOW + off)).toBe(true);
    expect(over(dueAfter(NOW, NOW - 1), NOW + off)).toBe(true);
  });

  it('for a promised date is over then, and never before, whatever the clock was set to', () => {
    expect([NOW - 9 * HOUR, NOW - 1, NOW].map((wallMs) => over(dueOn(NOW), wallMs))).toEqual([false, false, true]);
    expect(over(dueOn(NOW), NOW, NOW - 1)).toBe(false);
  });

  it('of a delay is over after it, or if the clock shows that it began under another clock', () => {
    const wait = dueAfter(NOW, NOW + 5_000);
    expect([5_000, 4_999, 0, -5_000, -5_001].map((ms) => over(wait, NOW + ms))).toEqual([
      true,
      false,
      false,
      false,
      true,
    ]);
  });

  it('of a long delay is cut short if the clock is more than five minutes earlier than its start', () => {
    const wait = dueAfter(NOW, NOW + 24 * HOUR);
    expect([-300_000, -300_001].map((ms) => over(wait, NOW + ms))).toEqual([false, true]);
  });

  it('of a delay ends by settled time, so that no jump of the clock ends it', () => {
    expect(over(dueAfter(NOW, NOW + 5_000), NOW + HOUR, NOW)).toBe(false);
    expect(over(dueAfter(NOW + HOUR, NOW + HOUR + 5_000), NOW + HOUR, NOW)).toBe(false);
  });
});
