import { settle } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import type { MemoryReadStore } from '@app/stores/testing/memory-read-store';
import { ReadStoreUnavailableError } from '../errors';
import type { ProjectionCommit } from '../read-store';
import { RecordingReadStore, setUp, start, stopAll } from '../testing/projectors';

afterEach(stopAll);

describe('a read store that loses its content', () => {
  /** Can be emptied, with or without calling the listeners. */
  class LosingReadStore extends RecordingReadStore {
    private inner = new RecordingReadStore();

    override open = (...args: Parameters<MemoryReadStore['open']>) => this.inner.open(...args);
    override restart = (...args: Parameters<MemoryReadStore['restart']>) => this.inner.restart(...args);
    override versions = (projectionName: string) => this.inner.versions(projectionName);
    override commit = (commit: ProjectionCommit) => this.inner.commit(commit);
    override getMany = (...args: Parameters<MemoryReadStore['getMany']>) => this.inner.getMany(...args);

    empty(): void {
      this.inner = new RecordingReadStore();
    }

    lose(): void {
      this.empty();
      this.tellLoss();
    }
  }

  async function projected() {
    const readStore = new LosingReadStore();
    const parts = setUp(new MemoryEventStore(), readStore);
    await parts.count('counter-1', 1, 2);
    const { observer, ended, stop } = start(parts);
    await settle();
    expect(await parts.documents('counter-1')).toEqual([{ total: 3, events: 2 }]);
    return { ...parts, readStore, observer, ended, stop };
  }

  it('is refilled at once, even if nothing more is appended', async () => {
    const { readStore, observer, documents } = await projected();
    readStore.lose();
    expect(observer.losses).toBe(1);
    await settle();
    expect(await documents('counter-1')).toEqual([{ total: 3, events: 2 }]);
    expect(observer.openedAt).toHaveLength(2);
    expect(observer.losses).toBe(1);
  });

  it('is refilled within a second if it does not report the loss', async () => {
    const { readStore, observer, documents, clock } = await projected();
    readStore.empty();
    await clock.advance(1_000);
    expect(observer.losses).toBe(1);
    expect(await documents('counter-1')).toEqual([{ total: 3, events: 2 }]);
  });

  it('is noticed even if another projector has started over and is behind', async () => {
    const { readStore, observer, clock, eventStore } = await projected();
    readStore.empty();
    await readStore.open('totals', { declaredVersion: 1, head: await eventStore.head(), nowMs: 1 });
    await clock.advance(1_000);
    expect(observer.losses).toBe(1);
    expect((await readStore.versions('totals')).active!.checkpoint!.position).toBe(await eventStore.head());
  });

  it('is left alone as long as nothing is lost', async () => {
    const { observer, clock, count, stop, ended } = await projected();
    for (let round = 0; round < 5; round += 1) {
      await clock.advance(1_000);
      await count('counter-1', 1);
    }
    expect([observer.losses, observer.openedAt.length]).toEqual([0, 1]);
    stop.abort();
    await ended;
    expect(clock.pending).toBe(0);
  });

  it('does not delay a shutdown, and is not reported after one', async () => {
    const { readStore, observer, stop, ended, clock } = await projected();
    stop.abort();
    readStore.lose();
    await ended;
    expect([observer.losses, clock.pending]).toEqual([0, 0]);
  });

  it('ends the projector when it is unavailable', async () => {
    const { readStore, ended, clock } = await projected();
    readStore.versions = () => Promise.reject(new ReadStoreUnavailableError('away'));
    await clock.advance(1_000);
    await expect(ended).rejects.toThrow('away');
  });
});
