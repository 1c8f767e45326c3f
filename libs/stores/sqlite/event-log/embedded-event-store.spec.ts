import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type EventToAppend, EventStoreUnavailableError } from '@app/event-sourcing';
import { describeEventStoreContract } from '@app/stores/contracts/event-store.contract';
import { EmbeddedEventStore } from './embedded-event-store';
import type { BatchStatistics } from './group-commit';
import { systemClock, temporaryDirectory } from '@app/stores/testing/event-log/spec-log';

describe.each([
  ['from the file only', 0],
  ['from a short tail or the file', 5],
  ['mostly from its tail', 8_192],
])('reading %s', (_how, tailEvents) => {
  describeEventStoreContract('EmbeddedEventStore', async () => {
    const { directory, remove } = temporaryDirectory();
    const store = EmbeddedEventStore.open({ directory, clock: systemClock, tailEvents });
    return { store, dispose: () => store.close().finally(remove) };
  });
});

describe('EmbeddedEventStore', () => {
  const newEvent = (type = 'Happened'): EventToAppend => ({ id: randomUUID(), type, data: '{}', metadata: '{}' });
  const everything = { streamPrefixes: [''] };
  let temporary: ReturnType<typeof temporaryDirectory>;
  let batches: BatchStatistics[];
  let store: EmbeddedEventStore;

  const open = () => {
    const onBatch = (statistics: BatchStatistics) => batches.push(statistics);
    return EmbeddedEventStore.open({ directory: temporary.directory, clock: systemClock, onBatch });
  };
  /** Another connection to the log's file, as from another process. */
  const outside = () => new DatabaseSync(join(temporary.directory, 'events.sqlite'), { timeout: 0 });

  beforeEach(() => {
    temporary = temporaryDirectory();
    batches = [];
    store = open();
  });
  afterEach(async () => {
    await store.close();
    temporary.remove();
  });

  it('handles the appends of one turn, including refused ones, in one transaction', async () => {
    const appends = Array.from({ length: 100 }, (_, n) => store.append(`a-${n % 50}`, 'no-stream', [newEvent()]));
    const outcomes = await Promise.allSettled(appends);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
    expect(batches).toMatchObject([{ appends: 100, events: 50 }]);
    expect(batches[0]?.commitMs).toBeGreaterThan(0);
  });

  it('bounds the size of a transaction and keeps the order over several', async () => {
    const appends = Array.from({ length: 1_200 }, (_, n) => store.append(`a-${n}`, 'no-stream', [newEvent()]));
    const positions = (await Promise.all(appends)).map(({ position }) => position);
    expect(positions).toEqual(positions.map((_, n) => BigInt(n + 1)));
    expect(batches.length).toBeGreaterThan(1);
    expect(Math.max(...batches.map((batch) => batch.appends))).toBeLessThan(1_200);
  });

  it('continues where it was after a reopening', async () => {
    await store.append('a-1', 'no-stream', [newEvent(), newEvent()]);
    const before = await store.readStream('a-1');
    await store.close();
    store = open();
    expect(await store.readStream('a-1')).toEqual(before);
    expect(await store.append('a-1', 1, [newEvent()])).toEqual({ revision: 2, position: 3n });
    expect(await store.append('b-1', 'no-stream', [newEvent()])).toEqual({ revision: 0, position: 4n });
  });

  it('is empty at first', async () => {
    expect(await store.head()).toBeNull();
    const page = await store.readAll({ after: null, filter: everything, maxCount: 10 });
    expect(page).toEqual({ events: [], position: null, caughtUp: true });
  });

  it('rejects every append of a batch that could not be written, keeps none of them, and continues', async () => {
    await store.append('a-1', 'no-stream', [newEvent()]);
    const database = outside();
    database.exec(`CREATE TRIGGER full BEFORE INSERT ON events WHEN NEW.type = 'Last' BEGIN
      SELECT RAISE(ABORT, 'the disk is full'); END`);
    const failed = await Promise.allSettled([
      store.append('a-1', 0, [newEvent()]),
      store.append('new-1', 'no-stream', [newEvent(), newEvent('Last')]),
      store.append('a-1', 7, [newEvent()]),
    ]);
    for (const outcome of failed) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { cause: { message: 'the disk is full' } } });
      expect((outcome as PromiseRejectedResult).reason).toBeInstanceOf(EventStoreUnavailableError);
    }
    database.exec('DROP TRIGGER full');
    database.close();
    expect(await store.append('new-1', 'no-stream', [newEvent('Last')])).toEqual({ revision: 0, position: 2n });
    expect(await store.append('a-1', 0, [newEvent()])).toEqual({ revision: 1, position: 3n });
    const { events } = await store.readAll({ after: null, filter: everything, maxCount: 10 });
    expect(events.map(({ streamId }) => streamId)).toEqual(['a-1', 'new-1', 'a-1']);
  });

  it('is unavailable while the file is locked, and wakes subscribers once it is written again', async () => {
    const abort = new AbortController();
    const subscription = store.subscribe({ after: null, filter: everything, maxBatch: 5, signal: abort.signal });
    await subscription.next();
    const database = outside();
    database.exec('BEGIN IMMEDIATE');
    await expect(store.append('a-1', 'no-stream', [newEvent()])).rejects.toBeInstanceOf(EventStoreUnavailableError);
    await expect(store.probe()).rejects.toBeInstanceOf(EventStoreUnavailableError);
    database.exec('ROLLBACK');
    database.close();
    await store.probe();
    const next = subscription.next();
    await store.append('a-1', 'no-stream', [newEvent()]);
    expect((await next).value).toMatchObject({ events: [{ streamId: 'a-1' }], position: 1n, caughtUp: true });
    abort.abort();
  });

  it('stops writing when the file is in doubt, stays readable, and works again after a reopening', async () => {
    await store.append('a-1', 'no-stream', [newEvent(), newEvent()]);
    const database = outside();
    database.exec(`DELETE FROM events WHERE position = 2;
      CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`);
    const append = (expected: number) => store.append('a-1', expected, [newEvent()]);
    await expect(append(1)).rejects.toThrow('the disk is full');
    database.exec('DROP TRIGGER full');
    database.close();
    for (let n = 0; n < 2; n += 1) {
      const refused = append(0);
      await expect(refused).rejects.toBeInstanceOf(EventStoreUnavailableError);
      await expect(refused).rejects.toThrow('in doubt');
    }
    await expect(store.probe()).rejects.toThrow('in doubt');
    expect(await store.readStream('a-1')).toHaveLength(1);
    await store.close();
    await expect(store.probe()).rejects.toThrow('closed');
    store = open();
    expect(await append(0)).toEqual({ revision: 1, position: 2n });
  });

  it('refuses appends at once while too many wait, and completes all the others', async () => {
    const appends = Array.from({ length: 16_500 }, () => store.append('a-1', 0, [newEvent()]));
    const outcomes = await Promise.allSettled(appends);
    const unavailable = outcomes.filter(
      (outcome) => outcome.status === 'rejected' && outcome.reason instanceof EventStoreUnavailableError,
    );
    expect(unavailable).toHaveLength(16_500 - 16_384);
    expect(await store.append('a-1', 'no-stream', [newEvent()])).toMatchObject({ revision: 0 });
  });

  it('stays readable for others while it is open', async () => {
    await store.append('a-1', 'no-stream', [newEvent()]);
    const database = outside();
    expect(database.prepare('SELECT count(*) AS events FROM events').get()).toEqual({ events: 1 });
    database.close();
  });

  it('completes accepted appends when closed, leaves no WAL, and refuses later ones', async () => {
    const accepted = Array.from({ length: 700 }, (_, n) => store.append(`a-${n}`, 'no-stream', [newEvent()]));
    const closing = store.close();
    await expect(store.append('late-1', 'no-stream', [newEvent()])).rejects.toBeInstanceOf(EventStoreUnavailableError);
    await closing;
    expect(await Promise.all(accepted)).toHaveLength(700);
    await expect(store.readStream('a-1')).rejects.toBeInstanceOf(EventStoreUnavailableError);
    const database = outside();
    expect(database.prepare('SELECT count(*) AS events FROM events').get()).toEqual({ events: 700 });
    database.close();
  });

  it('ends its subscriptions with an error when it is closed', async () => {
    const { signal } = new AbortController();
    const subscription = store.subscribe({ after: null, filter: everything, maxBatch: 5, signal });
    await subscription.next();
    const waiting = subscription.next();
    await Promise.all([store.close(), expect(waiting).rejects.toBeInstanceOf(EventStoreUnavailableError)]);
  });

  it('delivers few empty batches for many live commits that do not match', async () => {
    const abort = new AbortController();
    const filter = { streamPrefixes: ['mine-'] };
    const counts: number[] = [];
    const following = (async () => {
      for await (const batch of store.subscribe({ after: null, filter, maxBatch: 5, signal: abort.signal })) {
        counts.push(batch.events.length);
        if (batch.events.length > 0) abort.abort();
      }
    })();
    for (let n = 0; n < 50; n += 1) await store.append(`foreign-${n}`, 'no-stream', [newEvent()]);
    await store.append('mine-1', 'no-stream', [newEvent()]);
    await following;
    expect(counts.at(-1)).toBe(1);
    expect(counts.length).toBeLessThan(50);
  });
});
