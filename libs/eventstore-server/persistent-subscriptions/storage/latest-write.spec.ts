import { LatestWrite } from './latest-write';

describe('the latest write', () => {
  const failures: unknown[] = [];
  const recording = (written: number[]) =>
    new LatestWrite<number>(
      async (value) => {
        await Promise.resolve();
        if (value < 0) throw new Error('cannot be written');
        written.push(value);
      },
      (error) => failures.push(error),
    );

  it('leaves out what was overtaken while it was busy', async () => {
    const written: number[] = [];
    const writes = recording(written);
    for (const value of [1, 2, 3]) writes.set(value);
    await writes.settled();
    expect(written).toEqual([1, 3]);
  });

  it('goes on after a failure', async () => {
    const written: number[] = [];
    const writes = recording(written);
    writes.set(-1);
    writes.set(5);
    await writes.settled();
    expect(written).toEqual([5]);
    expect(failures).toHaveLength(1);
  });

  it('misses nothing, whenever it comes', async () => {
    for (let turns = 0; turns < 12; turns += 1) {
      const written: number[] = [];
      const writes = recording(written);
      writes.set(1);
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      writes.set(2);
      await writes.settled();
      expect(written).toEqual([1, 2]);
    }
  });
});
