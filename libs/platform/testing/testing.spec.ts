import { ManualClock, SeededRandom } from './';

describe('ManualClock', () => {
  it('wakes sleepers in the order in which they are due, each at its time', async () => {
    const clock = new ManualClock(0);
    const woken: string[] = [];
    const sleeper = async (name: string, ms: number): Promise<void> => {
      await clock.sleep(ms);
      woken.push(`${name}@${clock.nowMs()}`);
    };
    void sleeper('late', 30);
    void sleeper('early', 10);
    void sleeper('also early', 10);
    await clock.advance(29);
    expect(woken).toEqual(['early@10', 'also early@10']);
    await clock.advance(1);
    expect(woken.at(-1)).toBe('late@30');
    expect(clock.pending).toBe(0);
  });

  it('runs a loop as often as it falls due, also one that takes a few turns between', async () => {
    const clock = new ManualClock(0);
    const times: number[] = [];
    const stop = new AbortController();
    const loop = (async () => {
      while (!stop.signal.aborted) {
        await clock.sleep(10, stop.signal);
        await new Promise((resolve) => setImmediate(resolve));
        times.push(clock.nowMs());
      }
    })();
    await clock.advance(35);
    expect(times).toEqual([10, 20, 30]);
    expect(clock.nowMs()).toBe(35);
    expect(clock.nextDueMs).toBe(40);
    stop.abort();
    await loop;
    expect(clock.nextDueMs).toBeNull();
  });

  it('has deadlines that fire, follow other signals and can be cleared', async () => {
    const clock = new ManualClock();
    const other = new AbortController();
    const [fires, follows, cleared] = [clock.deadline(10), clock.deadline(99, other.signal), clock.deadline(10)];
    cleared.clear();
    await clock.advance(10);
    expect([fires.signal.aborted, follows.signal.aborted, cleared.signal.aborted]).toEqual([true, false, false]);
    other.abort();
    expect(follows.signal.aborted).toBe(true);
    expect(clock.pending).toBe(0);
  });
});

describe('SeededRandom', () => {
  const draw = (random: SeededRandom): unknown[] => [random.uuid(), random.fraction(), [...random.bytes(8)]];

  it('repeats itself with the same seed only', () => {
    expect(draw(new SeededRandom(7))).toEqual(draw(new SeededRandom(7)));
    expect(draw(new SeededRandom(7))).not.toEqual(draw(new SeededRandom(8)));
  });

  it('gives valid values, spread over their range', () => {
    const random = new SeededRandom();
    expect(random.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const fractions = Array.from({ length: 1000 }, () => random.fraction());
    expect(fractions.every((fraction) => fraction >= 0 && fraction < 1)).toBe(true);
    const mean = fractions.reduce((sum, fraction) => sum + fraction, 0) / fractions.length;
    expect(mean).toBeCloseTo(0.5, 1);
  });
});
