import { settle } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { DELETION, type EventBatch, type ReadAllOptions } from '../event-store';
import { foldDocument } from '../projection';
import { toDoEntries } from '../reactor/to-do-entries';
import { counterDecider, totals } from '../testing/counter';
import { setUp, start, stopAll } from '../testing/projectors';
import { FOLLOWING, ownEvent } from '../testing/recorded-events';
import { readEvent } from '../upcast';
import { dueOn } from '../wait';

afterEach(stopAll);

/** Somebody deletes a stream. Readers of the whole log still find its events until the log is scavenged. */
class DeletingEventStore extends MemoryEventStore {
  private deleted: string | null = null;
  private isScavenged = false;

  async delete(streamId: string, isScavenged: boolean): Promise<void> {
    await this.append(streamId, 0, [{ id: 'deletion', type: DELETION, data: '{}', metadata: '' }]);
    this.deleted = streamId;
    this.isScavenged = isScavenged;
  }

  override async readStream(...args: Parameters<MemoryEventStore['readStream']>) {
    return args[0] === this.deleted ? [] : super.readStream(...args);
  }

  override async readAll(options: ReadAllOptions) {
    const page = await super.readAll(options);
    const isLeft = (event: EventBatch['events'][number]) => event.streamId !== this.deleted || event.type === DELETION;
    return this.isScavenged ? { ...page, events: page.events.filter(isLeft) } : page;
  }
}

describe('runProjector', () => {
  it('catches up, then processes live events, and ends when its signal is aborted', async () => {
    const parts = setUp();
    await parts.count('counter-1', 1, 2);
    const { observer, stop, ended } = start(parts);
    await settle();
    expect(await parts.documents('counter-1')).toEqual([{ total: 3, events: 2 }]);
    await parts.count('counter-1', 4);
    await settle();
    expect(await parts.documents('counter-1')).toEqual([{ total: 7, events: 3 }]);
    expect(observer.openedAt).toHaveLength(1);
    stop.abort();
    await ended;
  });

  it('writes a document once per batch, however many of its events the batch holds', async () => {
    const parts = setUp();
    await parts.count('counter-1', 1, 2);
    await parts.count('counter-2', 5);
    await parts.count('counter-1', 3);
    start(parts);
    await settle();
    expect(parts.readStore.commits).toHaveLength(1);
    expect(parts.readStore.commits[0]!.writes).toEqual([
      {
        collection: 'totals',
        key: 'counter-1',
        document: { total: 6, events: 3 },
        listEntries: toDoEntries(dueOn(6), 400n),
      },
      {
        collection: 'totals',
        key: 'counter-2',
        document: { total: 5, events: 1 },
        listEntries: toDoEntries(dueOn(5), 300n),
      },
    ]);
  });

  it('makes the same document as folding its stream', async () => {
    const parts = setUp();
    await parts.count('counter-1', 1, 2);
    await parts.count('counter-1', 3);
    start(parts);
    await settle();
    const recorded = await parts.eventStore.readStream('counter-1');
    const events = recorded.map((event) => readEvent(event, counterDecider.schemas));
    expect(await parts.documents('counter-1')).toEqual([foldDocument(totals, 'counter-1', events)]);
  });

  it('removes a document, and its to-do list entries, when an event says so', async () => {
    const parts = setUp();
    await parts.count('counter-1', 1);
    await parts.count('counter-2', 1, -1);
    const reset = ownEvent('reset', 'Reset', {}, FOLLOWING);
    await parts.eventStore.append('counter-1', 0, [reset]);
    start(parts);
    await settle();
    expect(await parts.documents('counter-1', 'counter-2')).toEqual([null, { total: 0, events: 2 }]);
    expect(await parts.onList()).toEqual(['counter-2']);
  });

  it("ignores other categories' events, but reaches the end of the log", async () => {
    const parts = setUp();
    await parts.count('counter-1', 1);
    await parts.count('gauge-1', 1, 2);
    start(parts);
    await settle();
    const active = (await parts.readStore.versions('totals')).active;
    expect(active!.checkpoint).toMatchObject({
      position: await parts.eventStore.head(),
      lastEvent: { streamId: 'counter-1', revision: 0 },
    });
    expect(await parts.documents('gauge-1')).toEqual([null]);
  });

  it('is complete on a log without events for it', async () => {
    const parts = setUp();
    await parts.count('gauge-1', 1);
    start(parts);
    await settle();
    const { checkpoint, completeFrom } = (await parts.readStore.versions('totals')).active!;
    expect(checkpoint).toEqual({ position: completeFrom, lastEvent: null, events: 0 });
  });

  it('waits on an empty log', async () => {
    const parts = setUp();
    const { observer } = start(parts);
    await settle();
    expect(parts.readStore.commits).toEqual([]);
    await parts.count('counter-1', 1);
    await settle();
    expect(await parts.documents('counter-1')).toEqual([{ total: 1, events: 1 }]);
    expect(observer.restarts).toEqual([]);
  });

  it('resumes from its checkpoint', async () => {
    const parts = setUp();
    await parts.count('counter-1', 1);
    const first = start(parts);
    await settle();
    first.stop.abort();
    await first.ended;
    await parts.count('counter-1', 2);
    start(parts);
    await settle();
    expect(await parts.documents('counter-1')).toEqual([{ total: 3, events: 2 }]);
    expect(parts.readStore.commits).toHaveLength(2);
  });

  it('reports the age of the oldest event of a batch', async () => {
    const parts = setUp();
    await parts.count('counter-1', 1);
    await parts.clock.advance(3_000);
    await parts.count('counter-1', 1);
    const { observer } = start(parts);
    await settle();
    expect(observer.lags).toEqual([3_000]);
  });
});

describe('two projectors on one read store', () => {
  it('project every event once: a commit fences the other projector, which resumes from there', async () => {
    const parts = setUp();
    await parts.count('counter-1', 1);
    start(parts);
    start(parts);
    for (let round = 0; round < 5; round += 1) {
      await parts.count('counter-1', 1);
      await settle();
    }
    expect(await parts.documents('counter-1')).toEqual([{ total: 6, events: 6 }]);
    const positions = parts.readStore.commits.map(({ next }) => next?.position);
    expect(new Set(positions).size).toBe(positions.length);
  });

  it('accept a checkpoint that one commits while the other opens the version', async () => {
    const parts = setUp();
    await parts.count('counter-1', 1);
    start(parts);
    await settle();
    const { eventStore } = parts;
    const head = eventStore.head.bind(eventStore);
    eventStore.head = async () => {
      eventStore.head = head;
      const before = await head();
      await parts.count('counter-1', 1);
      await settle();
      return before;
    };
    const { observer } = start(parts);
    await parts.clock.advance(1_000);
    expect(observer.openedAt).toHaveLength(1);
    expect(observer.restarts).toEqual([]);
    expect((await parts.readStore.versions('totals')).active).toMatchObject({ version: 1, checkpoint: { events: 2 } });
  });
});

describe('a checkpoint of another log', () => {
  async function projected() {
    const parts = setUp();
    await parts.count('counter-1', 1, 2);
    const { stop, ended } = start(parts);
    await settle();
    stop.abort();
    await ended;
    return parts.readStore;
  }

  it.each([true, false])(
    'is accepted if its last event was in a stream that was deleted since (scavenged: %s)',
    async (scavenged) => {
      const eventStore = new DeletingEventStore();
      const before = setUp(eventStore);
      await before.count('counter-1', 5);
      await before.count('counter-2', 4);
      const { stop, ended } = start(before);
      await settle();
      stop.abort();
      await ended;
      await eventStore.delete('counter-2', scavenged);
      const parts = setUp(eventStore, before.readStore);
      const { observer } = start(parts);
      await settle();
      expect(observer.restarts).toEqual([]);
      expect(observer.told).toEqual(['damaged counter-2@0']);
      expect(await parts.documents('counter-1')).toEqual([{ total: 5, events: 1 }]);
    },
  );

  it('starts the projection over when it is beyond the end', async () => {
    const parts = setUp(new MemoryEventStore(), await projected());
    const { observer } = start(parts);
    await settle();
    expect(observer.restarts).toEqual([expect.stringMatching(/beyond the end/)]);
    expect(await parts.documents('counter-1')).toEqual([null]);
  });

  it('starts the projection over when it names an event that is not in this log', async () => {
    const parts = setUp(new MemoryEventStore(), await projected());
    const foreign = ownEvent('x', 'Counted', { by: 9 });
    await parts.eventStore.append('counter-1', 'no-stream', [foreign]);
    await parts.eventStore.append('counter-1', 0, [ownEvent('y', 'Counted', { by: 9 }, FOLLOWING)]);
    const { observer } = start(parts);
    await settle();
    expect(observer.restarts).toEqual([expect.stringMatching(/is not in this log/)]);
    expect(await parts.documents('counter-1')).toEqual([{ total: 18, events: 2 }]);
    expect((await parts.readStore.versions('totals')).active).toMatchObject({ version: 2 });
  });

  it('starts the projection over when the log was restored to before it and has outgrown it since', async () => {
    const first = ownEvent('a', 'Counted', { by: 1 });
    const before = setUp();
    await before.eventStore.append('counter-1', 'no-stream', [first]);
    await before.eventStore.append('other-1', 'no-stream', [ownEvent('o', 'Other')]);
    const { stop, ended } = start(before);
    await settle();
    stop.abort();
    await ended;

    const parts = setUp(new MemoryEventStore(), before.readStore);
    await parts.eventStore.append('counter-1', 'no-stream', [first]);
    await parts.eventStore.append('counter-1', 0, [ownEvent('b', 'Counted', { by: 2 }, FOLLOWING)]);
    await parts.eventStore.append('counter-1', 1, [ownEvent('c', 'Counted', { by: 4 }, FOLLOWING)]);
    const { observer } = start(parts);
    await settle();
    expect(observer.restarts).toEqual([expect.stringMatching(/past event b/)]);
    expect(await parts.documents('counter-1')).toEqual([{ total: 7, events: 3 }]);
  });
});

describe('a subscription that breaks', () => {
  it('ends the projector with the error, and misses nothing when run again', async () => {
    const parts = setUp();
    await parts.count('counter-1', 1);
    const subscribe = parts.eventStore.subscribe.bind(parts.eventStore);
    parts.eventStore.subscribe = async function* (options): AsyncGenerator<EventBatch> {
      for await (const batch of subscribe(options)) {
        yield batch;
        throw new Error('the connection broke');
      }
    };
    await expect(start(parts).ended).rejects.toThrow('the connection broke');
    parts.eventStore.subscribe = subscribe;
    await parts.count('counter-1', 2);
    start(parts);
    await settle();
    expect(await parts.documents('counter-1')).toEqual([{ total: 3, events: 2 }]);
  });
});
