import { settle } from '@app/platform/testing';
import type { ProjectionVersion } from '../read-store';
import { setUp, start, stopAll } from '../testing/projectors';

afterEach(stopAll);

describe('the data of earlier versions', () => {
  it('is removed piece by piece, with pauses', async () => {
    const parts = setUp();
    let left = 5;
    parts.readStore.removeOld = async () => {
      left = Math.max(0, left - 1);
      return left > 0;
    };
    start(parts);
    await settle();
    expect(left).toBe(4);
    await parts.clock.advance(100);
    expect(left).toBe(0);
  });

  it('is gone before the next version is built, so that it does not pile up', async () => {
    const parts = setUp();
    await parts.count('counter-1', 1);
    let left = 10;
    parts.readStore.removeOld = async () => {
      left = Math.max(0, left - 1);
      return left > 0;
    };
    const { observer } = start(parts);
    await settle();
    const fresh = { declaredVersion: 1, head: await parts.eventStore.head(), nowMs: 1 };
    const { version } = (await parts.readStore.beginBuild('totals', fresh)) as ProjectionVersion;
    const commits: number[] = [];
    const commit = parts.readStore.commit.bind(parts.readStore);
    parts.readStore.commit = async (what) => {
      if (what.version === version) commits.push(left);
      return commit(what);
    };
    await parts.clock.advance(3_000);
    expect(commits).toEqual([0]);
    expect(observer.told).toEqual([`building ${version}`, `built ${version}`]);
  });
});
