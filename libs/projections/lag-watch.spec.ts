import { EventStoreUnavailableError, type Projection, type ProjectionVersion } from '@app/event-sourcing';
import { ManualClock, settle } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { LagWatch, OVERDUE_AFTER_MS } from './lag-watch';
import { ProjectionProgress } from './progress';

const PROJECTION = { name: 'p', collections: [], streamPrefixes: ['a-'] } as unknown as Projection;

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

class CountingEventStore extends MemoryEventStore {
  pages = 0;

  override readAll(...args: Parameters<MemoryEventStore['readAll']>) {
    this.pages += 1;
    return super.readAll(...args);
  }
}

async function setUp(before: readonly string[] = []) {
  const [clock, eventStore, progress] = [new ManualClock(), new CountingEventStore(), new ProjectionProgress()];
  let events = 0;
  const append = async (prefix = 'a-'): Promise<bigint> => {
    const id = String((events += 1));
    return (await eventStore.append(prefix + id, 'no-stream', [{ id, type: 'T', data: '{}', metadata: '{}' }]))
      .position;
  };
  const advance = (position: bigint | null, projection = 'p:0/2'): void => {
    const checkpoint = position === null ? null : { position, lastEvent: null, events: 1 };
    const version: ProjectionVersion = {
      projection,
      version: 1,
      declaredVersion: 1,
      checkpoint,
      completeFrom: null,
      startedAtMs: 1,
      stop: null,
    };
    progress.advanced(version);
  };
  const stop = new AbortController();
  for (const prefix of before) await append(prefix);
  const watch = new LagWatch([{ projection: PROJECTION, parts: ['p:0/2', 'p:1/2'] }], { eventStore, progress, clock });
  await watch.begin();
  const running = watch.run(stop.signal);
  stops.push(async () => {
    stop.abort();
    await running;
  });
  await settle();
  return { clock, eventStore, progress, append, advance };
}

describe('LagWatch', () => {
  it('notices within a second what a partition has lacked for five, until it has caught up', async () => {
    const { clock, progress, append, advance, eventStore } = await setUp();
    const first = await append();
    for (const part of ['p:0/2', 'p:1/2']) advance(first, part);
    await clock.advance(60_000);
    expect([progress.isCurrent('p:0/2'), eventStore.pages]).toEqual([true, 0]);
    const second = await append();
    advance(second, 'p:1/2');
    await clock.advance(OVERDUE_AFTER_MS - 1);
    expect([progress.isCurrent('p:0/2'), eventStore.pages]).toEqual([true, 0]);
    await clock.advance(1_001);
    expect([progress.isCurrent('p:0/2'), progress.isCurrent('p:1/2')]).toEqual([false, true]);
    await append();
    await clock.advance(60_000);
    // The position of the next event is known for a partition that makes no progress; now neither does.
    expect([progress.isCurrent('p:1/2'), eventStore.pages]).toEqual([false, 2]);
    advance(second);
    expect(progress.isCurrent('p:0/2')).toBe(false);
    advance(await eventStore.head());
    expect(progress.isCurrent('p:0/2')).toBe(true);
  });

  it('notices it for a partition that has processed nothing at all', async () => {
    const { clock, progress, append, advance } = await setUp();
    advance(null);
    await clock.advance(10_000);
    expect(progress.isCurrent('p:0/2')).toBe(true);
    await append();
    await clock.advance(OVERDUE_AFTER_MS + 1_000);
    expect(progress.isCurrent('p:0/2')).toBe(false);
  });

  it('accepts a partition that makes progress in a busy log, unless its lag stays too long', async () => {
    const { clock, progress, append, advance, eventStore } = await setUp();
    const positions = [await append()];
    for (let second = 0; second < 30; second += 1) {
      advance(positions[Math.max(0, positions.length - 3)]!);
      await clock.advance(1_000);
      positions.push(await append());
      expect(progress.isCurrent('p:0/2')).toBe(true);
    }
    expect(eventStore.pages).toBe(0);
    for (let second = 0; second < 10; second += 1) {
      advance(positions[positions.length - 10]!);
      await clock.advance(1_000);
      positions.push(await append());
      expect(progress.isCurrent('p:0/2')).toBe(false);
    }
  });

  it('does not report a partition that lacks only events of no concern to it', async () => {
    const { clock, progress, append, advance } = await setUp();
    advance(await append());
    await append('b-');
    await clock.advance(60_000);
    expect(progress.isCurrent('p:0/2')).toBe(true);
    await append();
    await clock.advance(OVERDUE_AFTER_MS + 1_000);
    expect(progress.isCurrent('p:0/2')).toBe(false);
  });

  it('does not trust a partition that lacks events that were in the log at the start', async () => {
    const { clock, progress, advance, eventStore } = await setUp(['a-', 'a-', 'b-']);
    const [first, second] = (await eventStore.readAll({ after: null, filter: PROJECTION, maxCount: 2 })).events;
    advance(first!.position);
    advance(second!.position, 'p:1/2');
    await clock.advance(1_000);
    expect(progress.isCurrent('p:0/2')).toBe(false);
    // It lacks only events of other categories.
    expect(progress.isCurrent('p:1/2')).toBe(true);
    await clock.advance(60_000);
    expect(progress.problem('p:0/2')).toBe('it has not caught up with the log yet');
    advance(second!.position);
    await clock.advance(1_000);
    expect(progress.isCurrent('p:0/2')).toBe(true);
  });

  it('accepts overdue projections while the log cannot be read, and no longer', async () => {
    const { clock, progress, append, advance, eventStore } = await setUp();
    advance(await append());
    await append();
    await clock.advance(OVERDUE_AFTER_MS + 1_000);
    expect(progress.isCurrent('p:0/2')).toBe(false);
    const head = eventStore.head.bind(eventStore);
    eventStore.head = () => Promise.reject(new EventStoreUnavailableError('away'));
    await clock.advance(1_000);
    expect(progress.isCurrent('p:0/2')).toBe(true);
    eventStore.head = head;
    await clock.advance(1_000);
    expect(progress.isCurrent('p:0/2')).toBe(false);
  });
});
