import { settle } from '@app/runtime/testing';
import { LIST, setUp, START_MS, stopAll } from './testing/work-list';
import { LEASE_MS, type WorkListOptions } from './work-list';

afterEach(stopAll);

describe('several lists', () => {
  const OTHER = { projection: 'other', collection: LIST.collection };

  async function setUpTwo(overrides: Partial<WorkListOptions> = {}) {
    const env = await setUp({ lists: [LIST, OTHER], ...overrides });
    const { readStore } = env;
    let version = await readStore.open(OTHER.projection, { declaredVersion: 1, head: null, nowMs: 1 });
    const writeOther = async (keys: readonly string[]) => {
      const next = { position: (version.checkpoint?.position ?? 0n) + 1n, lastEvent: null, events: 0 };
      const due = { dueAtMs: START_MS, group: '' };
      const writes = keys.map((key) => ({ collection: OTHER.collection, key, document: { key }, due, places: [] }));
      await readStore.commit({ ...version, expected: version.checkpoint, next, writes });
      version = { ...version, checkpoint: next };
    };
    return { ...env, writeOther };
  }

  it('share the places, and none of them is worked before the other for ever', async () => {
    const { write, writeOther, run, started, inHand, shown } = await setUpTwo();
    for (const key of ['a1', 'a2', 'a3', 'a4']) await write(key, START_MS);
    await writeOther(['b1', 'b2', 'b3', 'b4']);
    void run();
    await settle();
    expect(started).toHaveLength(2);
    for (const key of [...started]) inHand.get(key)!.done(1n);
    await settle();
    expect(started).toHaveLength(4);
    expect(new Set(started.map((key) => key[0]))).toEqual(new Set(['a', 'b']));
    expect(shown).toHaveLength(2);
  });

  it('are worked each as soon as it is complete', async () => {
    let complete = false;
    const { write, writeOther, run, started, clock } = await setUpTwo({
      isComplete: ({ projection }) => complete || projection === OTHER.projection,
    });
    await write('a', START_MS);
    await writeOther(['b']);
    void run();
    await clock.advance(5_000);
    expect(started).toEqual(['b']);
    complete = true;
    await clock.advance(1_000);
    expect(started).toEqual(['b', 'a']);
  });

  it('keep their claims, and get them back, each its own', async () => {
    const { write, writeOther, run, clock, claimOfAnother, readStore, inHand, stop } = await setUpTwo();
    const claimOther = () =>
      readStore.claim({ list: OTHER, nowMs: clock.nowMs(), limit: 9, owner: 'worker-2', leaseMs: LEASE_MS });
    await write('a', START_MS);
    await writeOther(['b']);
    const ended = run();
    await clock.advance(25_000);
    expect([await claimOfAnother(), await claimOther()]).toEqual([[], []]);
    stop.abort();
    for (const { done } of inHand.values()) done(1n);
    await settle();
    expect(await ended).toBe('ended');
    const keys = [...(await claimOfAnother()), ...(await claimOther())].map(({ key }) => key);
    expect(keys).toEqual(['a', 'b']);
  });
});
