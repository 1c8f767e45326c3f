import { WakeSignal } from './wake-signal';
import { ManualClock } from '@app/platform/testing';

describe('WakeSignal', () => {
  const never = new AbortController().signal;

  it('waits for its time when nobody wakes it', async () => {
    const clock = new ManualClock(0);
    let over = false;
    void new WakeSignal(clock).wait(100, never).then(() => (over = true));
    await clock.advance(99);
    expect(over).toBe(false);
    await clock.advance(1);
    expect(over).toBe(true);
  });

  it('wakes a waiting loop at once, and once', async () => {
    const clock = new ManualClock(0);
    const wakeSignal = new WakeSignal(clock);
    const first = wakeSignal.wait(100, never);
    wakeSignal.wake();
    wakeSignal.wake();
    await first;
    expect(clock.nowMs()).toBe(0);
    let over = false;
    const second = wakeSignal.wait(100, never).then(() => (over = true));
    await clock.advance(99);
    expect(over).toBe(false);
    await clock.advance(1);
    await second;
  });

  it('does not lose a wake that comes while the loop is at work', async () => {
    const clock = new ManualClock(0);
    const wakeSignal = new WakeSignal(clock);
    wakeSignal.wake();
    await wakeSignal.wait(100, never);
    expect(clock.pending).toBe(0);
    expect(clock.nowMs()).toBe(0);
  });

  it('ends its wait when the signal is or gets aborted', async () => {
    const wakeSignal = new WakeSignal(new ManualClock());
    await wakeSignal.wait(100, AbortSignal.abort());
    const controller = new AbortController();
    const wait = wakeSignal.wait(100, controller.signal);
    controller.abort();
    await wait;
  });

  it('refuses a second loop', async () => {
    const wakeSignal = new WakeSignal(new ManualClock());
    const first = wakeSignal.wait(100, never);
    await expect(wakeSignal.wait(100, never)).rejects.toThrow('one loop only');
    wakeSignal.wake();
    await first;
  });
});
