import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { AssertionFailedError, EventStore, type EventToAppend, EventStoreUnavailableError } from '@app/event-sourcing';
import { describeEventStoreContract } from '@app/stores/contracts/event-store.contract';
import { systemClock, temporaryDirectory } from '@app/stores/testing/event-log/spec-log';
import { EmbeddedEventStore } from './embedded-event-store';
import { FollowedEventStore } from './followed-event-store';

/** Writes through one store and reads through the other, like two threads. */
class WrittenHereReadThere extends EventStore {
  constructor(
    private readonly written: EmbeddedEventStore,
    private readonly read: FollowedEventStore,
  ) {
    super();
  }
  override append(...what: Parameters<EventStore['append']>) {
    return this.written.append(...what);
  }
  override readStream(...what: Parameters<EventStore['readStream']>) {
    return this.read.readStream(...what);
  }
  override readAll(...what: Parameters<EventStore['readAll']>) {
    return this.read.readAll(...what);
  }
  override subscribe(...what: Parameters<EventStore['subscribe']>) {
    return this.read.subscribe(...what);
  }
  override head() {
    return this.read.head();
  }
  override async close(): Promise<void> {
    await this.read.close();
    await this.written.close();
  }
}

async function openBoth(directory: string, tailEvents: number) {
  const owner = EmbeddedEventStore.open({ directory, clock: systemClock });
  const follower = FollowedEventStore.open({ directory, clock: systemClock, head: await owner.head(), tailEvents });
  owner.onCommitted((position) => follower.told(position));
  return { owner, follower };
}

describe.each([
  ['from the file only', 0],
  ['from a short tail or the file', 5],
  ['mostly from its tail', 8_192],
])('following another thread’s log, reading %s', (_how, tailEvents) => {
  describeEventStoreContract('FollowedEventStore', async () => {
    const { directory, remove } = temporaryDirectory();
    const { owner, follower } = await openBoth(directory, tailEvents);
    const store = new WrittenHereReadThere(owner, follower);
    return { store, dispose: () => store.close().finally(remove) };
  });
});

describe('FollowedEventStore', () => {
  const newEvent = (): EventToAppend => ({ id: randomUUID(), type: 'Happened', data: '{}', metadata: '{}' });
  const all = { after: null, filter: { streamPrefixes: [''] }, maxCount: 10 };
  let temporary: ReturnType<typeof temporaryDirectory>;
  beforeEach(() => {
    temporary = temporaryDirectory();
  });
  afterEach(() => temporary.remove());

  it.each([0, 8_192])('reads no further than was reported (tail of %i events)', async (tailEvents) => {
    const { directory } = temporary;
    const owner = EmbeddedEventStore.open({ directory, clock: systemClock });
    await owner.append('a-1', 'no-stream', [newEvent(), newEvent()]);
    const head = await owner.head();
    await owner.append('a-1', 1, [newEvent(), newEvent()]);
    const follower = FollowedEventStore.open({ directory, clock: systemClock, head, tailEvents });
    expect(await follower.head()).toBe(head);
    expect(await follower.readAll(all)).toMatchObject({ events: [{ revision: 0 }, { revision: 1 }], position: head });
    follower.told(head! + 1n);
    follower.told(head!);
    expect(await follower.head()).toBe(head! + 1n);
    expect((await follower.readAll(all)).events.map(({ revision }) => revision)).toEqual([0, 1, 2]);
    await Promise.all([follower.close(), owner.close()]);
  });

  it('writes nothing, and reads nothing once it is closed', async () => {
    const { owner, follower } = await openBoth(temporary.directory, 0);
    await expect(follower.append()).rejects.toThrow(AssertionFailedError);
    const waiting = follower.subscribe({ ...all, maxBatch: 1, signal: new AbortController().signal });
    expect(await waiting.next()).toMatchObject({ value: { caughtUp: true } });
    const next = waiting.next();
    await follower.close();
    await expect(next).rejects.toThrow(EventStoreUnavailableError);
    await expect(follower.readAll(all)).rejects.toThrow(EventStoreUnavailableError);
    await owner.close();
  });

  it('reads the streams of a copy, and leaves no other file', async () => {
    const owner = EmbeddedEventStore.open({ directory: temporary.directory, clock: systemClock });
    await owner.append('stream-1', 'no-stream', [newEvent(), newEvent()]);
    await owner.close();
    const copy = join(temporary.directory, 'copy');
    mkdirSync(copy);
    copyFileSync(join(temporary.directory, 'events.sqlite'), join(copy, 'events.sqlite'));
    const store = FollowedEventStore.openCopy(copy, systemClock);
    expect((await store.readStream('stream-1')).map(({ revision }) => revision)).toEqual([0, 1]);
    expect(await store.readStream('stream-2')).toEqual([]);
    await store.close();
    expect(readdirSync(copy)).toEqual(['events.sqlite']);
  });
});
