import { ManualClock, settle } from '@app/platform/testing';
import { WriteWatch } from './write-watch';

function setUp() {
  const clock = new ManualClock();
  const world = { writable: false, probes: 0 };
  const watch = new WriteWatch(clock, async () => {
    world.probes += 1;
    if (!world.writable) throw new Error('disk full');
  });
  return { clock, world, watch };
}

describe('WriteWatch', () => {
  it('probes nothing while writes succeed', () => {
    const { watch, world } = setUp();
    expect(watch.failing).toBe(false);
    watch.failed();
    watch.succeeded();
    expect([watch.failing, world.probes]).toEqual([false, 0]);
  });

  it('fails from the first failed write to the next successful one', async () => {
    const { watch } = setUp();
    watch.failed();
    expect(watch.failing).toBe(true);
    await settle();
    expect(watch.failing).toBe(true);
    watch.succeeded();
    expect(watch.failing).toBe(false);
  });

  it('detects by probing, at most once a second, that writes succeed again', async () => {
    const { watch, world, clock } = setUp();
    watch.failed();
    for (let asked = 0; asked < 10; asked += 1) {
      expect(watch.failing).toBe(true);
      await settle();
    }
    expect(world.probes).toBe(1);
    world.writable = true;
    await clock.advance(1_000);
    expect(watch.failing).toBe(true);
    await settle();
    expect([watch.failing, world.probes]).toEqual([false, 2]);
  });

  it('starts no other probe while one hangs', async () => {
    const clock = new ManualClock();
    const probe = jest.fn(() => new Promise<never>(() => undefined));
    const watch = new WriteWatch(clock, probe);
    watch.failed();
    expect(watch.failing).toBe(true);
    await clock.advance(60_000);
    expect(watch.failing).toBe(true);
    expect(probe).toHaveBeenCalledTimes(1);
  });
});
