import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { sha256Netstrings } from '@app/platform/lifecycle';
import { ManualClock, SeededRandom, settle } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import * as fc from 'fast-check';
import { AssertionFailedError, ContentionError, WrongExpectedRevisionError } from './errors';
import type { EventMetadata, EventToAppend } from './event';
import { eventHash } from './event-proof';
import type { AppendResult, ExpectedRevision } from './event-store';
import { type CommandContext, CommandHandling } from './handle';
import { type CounterCommand, counterDecider } from './testing/counter';

const STREAM = 'counter-1';
const START_MS = Date.UTC(2026, 0, 15, 12);
const context: CommandContext = { correlationId: 'request-1', causationId: null, actor: 'merchant:m1' };
const count = (...by: number[]): CounterCommand => ({ type: 'Count', by });

/** A clock that runs backwards when a spec says so. */
class SlippingClock extends ManualClock {
  slipMs = 0;

  override nowMs(): number {
    return super.nowMs() - this.slipMs;
  }
}

/** Lets another writer win: while `before` is set, it runs ahead of each append. */
class RacedEventStore extends MemoryEventStore {
  before: (() => Promise<void>) | null = null;
  reads = 0;

  override async append(streamId: string, expected: ExpectedRevision, events: readonly EventToAppend[]) {
    await this.before?.();
    return super.append(streamId, expected, events);
  }

  override readStream(...args: Parameters<MemoryEventStore['readStream']>) {
    this.reads += 1;
    return super.readStream(...args);
  }
}

function setUp() {
  const clock = new SlippingClock(START_MS);
  const eventStore = new RacedEventStore();
  const deps = { eventStore, clock, random: new SeededRandom(1), proofs: new SpecProofs() };
  const handling = new CommandHandling(deps);
  // Another process on the same log: it has its own queue.
  const other = new CommandHandling({ ...deps, random: new SeededRandom(2) });
  const handle = (command: CounterCommand, atMs?: number) =>
    handling.handle(counterDecider, STREAM, command, atMs === undefined ? context : { ...context, atMs });
  const stored = () => eventStore.readStream(STREAM);
  return { clock, eventStore, handling, other, handle, stored };
}

describe('handle', () => {
  it('appends the decided events and returns the state after them', async () => {
    const { handle, stored } = setUp();
    const handled = await handle(count(1, 2));
    expect(handled).toMatchObject({ kind: 'accepted', loaded: { state: 3, last: { revision: 1 } } });
    const recorded = await stored();
    expect(recorded.map(({ type, data, revision }) => ({ type, data, revision }))).toEqual([
      { type: 'Counted', data: '{"by":1,"note":""}', revision: 0 },
      { type: 'Counted', data: '{"by":2,"note":""}', revision: 1 },
    ]);
  });

  it('records exactly the documented metadata of every event', async () => {
    const { handle, stored } = setUp();
    const handled = await handle(count(1));
    const [recorded] = await stored();
    const metadata = JSON.parse(recorded!.metadata) as EventMetadata;
    expect(metadata).toMatchObject({
      schemaVersion: 1,
      recordedAt: '2026-01-15T12:00:00.000Z',
      correlationId: 'request-1',
      causationId: null,
      actor: 'merchant:m1',
    });
    expect(Object.keys(metadata).slice(5)).toEqual(['previousHash', 'macKeyId', 'mac', 'hash']);
    expect(recorded!.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(handled).toMatchObject({ events: [{ id: recorded!.id, revision: 0, streamId: STREAM, metadata }] });
  });

  it('chains the hashes within one append and across appends', async () => {
    const { handle, stored } = setUp();
    await handle(count(1, 1, 1));
    await handle(count(2));
    await handle(count(1, 1));
    let previousHash = '';
    for (const event of await stored()) {
      const { hash, ...metadata } = JSON.parse(event.metadata) as EventMetadata;
      expect(metadata.previousHash).toBe(previousHash);
      expect(eventHash(sha256Netstrings, { ...event, metadata })).toBe(hash);
      previousHash = hash;
    }
  });

  it('stores JSON that stays the same when parsed and serialized again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (note) => {
        const { handle, stored } = setUp();
        await handle({ type: 'Count', by: [1], note });
        const [event] = await stored();
        expect(JSON.stringify(JSON.parse(event!.data))).toBe(event!.data);
        expect(JSON.stringify(JSON.parse(event!.metadata))).toBe(event!.metadata);
      }),
      { numRuns: 50 },
    );
  });

  it('never records a time before that of the previous event, even if the clock runs backwards', async () => {
    const { handle, stored, clock } = setUp();
    await handle(count(1));
    clock.slipMs = 60_000;
    await handle(count(1));
    clock.slipMs = 0;
    await clock.advance(5);
    await handle(count(1));
    const times = (await stored()).map(({ metadata }) => (JSON.parse(metadata) as EventMetadata).recordedAt);
    expect(times).toEqual(['2026-01-15T12:00:00.000Z', '2026-01-15T12:00:00.000Z', '2026-01-15T12:00:00.005Z']);
  });

  it('records the time the command gives, but none before that of the previous event', async () => {
    const { handle, stored, clock } = setUp();
    const startMs = clock.nowMs();
    await handle(count(1), startMs - 2_000);
    await handle(count(1), startMs - 3_000);
    await handle(count(1), startMs - 1_000);
    const metadata = (await stored()).map((event) => JSON.parse(event.metadata) as EventMetadata);
    expect(metadata.map(({ recordedAt }) => recordedAt)).toEqual([
      '2026-01-15T11:59:58.000Z',
      '2026-01-15T11:59:58.000Z',
      '2026-01-15T11:59:59.000Z',
    ]);
    expect(metadata[0]).not.toHaveProperty('atMs');
  });

  it('appends nothing for a rejection, nor if nothing changes', async () => {
    const { handle, stored } = setUp();
    await handle(count(5));
    expect(await handle(count(6))).toMatchObject({ kind: 'rejected', rejection: 'TOO_MUCH', loaded: { state: 5 } });
    expect(await handle({ type: 'CountTo', total: 5 })).toMatchObject({ kind: 'accepted', events: [] });
    expect(await stored()).toHaveLength(1);
  });

  it('fails an assertion when an event has no schema', async () => {
    const { handling } = setUp();
    const noSchemas = { ...counterDecider, schemas: {} as typeof counterDecider.schemas };
    await expect(handling.handle(noSchemas, STREAM, count(1), context)).rejects.toThrow(AssertionFailedError);
  });
});

describe('a lost race', () => {
  it('makes the command load and decide again, on the winner’s events', async () => {
    const { handle, eventStore, other, stored, clock } = setUp();
    await handle(count(4));
    eventStore.before = async () => {
      eventStore.before = null;
      await other.handle(counterDecider, STREAM, count(4), context);
    };
    const pending = handle({ type: 'CountTo', total: 9 });
    await clock.advance(10);
    expect(await pending).toMatchObject({ kind: 'accepted', loaded: { state: 9 }, events: [{ data: { by: 1 } }] });
    expect(await stored()).toHaveLength(3);
  });

  it('may make the command rejected', async () => {
    const { handle, eventStore, other, clock } = setUp();
    eventStore.before = async () => {
      eventStore.before = null;
      await other.handle(counterDecider, STREAM, count(10), context);
    };
    const pending = handle(count(1));
    await clock.advance(10);
    expect(await pending).toMatchObject({ kind: 'rejected', rejection: 'TOO_MUCH', loaded: { state: 10 } });
  });

  it('is given up after five seconds', async () => {
    const { handle, eventStore, clock, stored } = setUp();
    let appends = 0;
    eventStore.before = async () => {
      appends += 1;
      throw new WrongExpectedRevisionError(STREAM, 'no-stream', 0);
    };
    const pending = handle(count(1)).catch((error: unknown) => error);
    let over = false;
    void pending.then(() => (over = true));
    await clock.advance(4_900);
    expect(over).toBe(false);
    await clock.advance(300);
    expect(await pending).toEqual(new ContentionError(STREAM, `races lost: ${appends}`));
    // Back-offs grow to 40 ms, so that a contended stream is not flooded.
    expect(appends).toBeLessThan(150);
    expect(await stored()).toEqual([]);
  });

  it('is the only error that is retried', async () => {
    const { handle, eventStore } = setUp();
    eventStore.before = async () => {
      throw new Error('the disk is full');
    };
    await expect(handle(count(1))).rejects.toThrow('the disk is full');
  });
});

describe('the queue of one stream', () => {
  it('makes commands of this process wait for each other instead of racing', async () => {
    const { handle, stored } = setUp();
    const handled = await Promise.all(Array.from({ length: 10 }, () => handle(count(1))));
    expect(handled.every(({ kind }) => kind === 'accepted')).toBe(true);
    expect(await stored()).toHaveLength(10);
    expect(await handle(count(1))).toMatchObject({ kind: 'rejected' });
  });

  it('continues after a failed command', async () => {
    const { handle, eventStore } = setUp();
    eventStore.before = async () => {
      eventStore.before = null;
      throw new Error('lost');
    };
    const [first, second] = await Promise.allSettled([handle(count(1)), handle(count(2))]);
    expect(first.status).toBe('rejected');
    expect(second).toMatchObject({ status: 'fulfilled', value: { loaded: { state: 2 } } });
  });

  it('does not delay other streams', async () => {
    const { handling, handle, eventStore } = setUp();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    eventStore.before = () => {
      eventStore.before = null;
      return held;
    };
    const slow = handle(count(1));
    await settle();
    await handling.handle(counterDecider, 'counter-2', count(1), context);
    release();
    await slow;
  });

  it.each([
    ['accepts a command after one that took the store ten seconds', 10_000, { kind: 'accepted' }, 2],
    [
      'gives up a command after twelve seconds, and appends nothing',
      12_000,
      { message: expect.stringContaining('too long') },
      1,
    ],
  ])('%s', async (_, waitedMs, outcome, events) => {
    const { handle, eventStore, clock, stored } = setUp();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    eventStore.before = () => held;
    const slow = handle(count(1));
    const waiting = handle(count(2)).catch((error: unknown) => error);
    await clock.advance(waitedMs);
    release();
    expect(await slow).toMatchObject({ kind: 'accepted' });
    expect(await waiting).toMatchObject(outcome);
    expect(await stored()).toHaveLength(events);
  });

  it('tolerates a lost race even after a long wait for the turn', async () => {
    const { handle, eventStore, clock, other, stored } = setUp();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    eventStore.before = () => held;
    const slow = handle(count(1));
    const waiting = handle(count(2));
    await clock.advance(4_900);
    eventStore.before = async () => {
      eventStore.before = null;
      await other.handle(counterDecider, STREAM, count(3), context);
      // The store is still slow: more than 5 s have passed since the command arrived.
      await clock.sleep(500);
    };
    release();
    await clock.advance(1_000);
    expect(await slow).toMatchObject({ kind: 'accepted' });
    expect(await waiting).toMatchObject({ kind: 'accepted', loaded: { state: 6 } });
    expect(await stored()).toHaveLength(3);
  });
});

describe('a stream that the caller has loaded before', () => {
  it('saves a read', async () => {
    const { handling, eventStore, handle } = setUp();
    await handle(count(1));
    const loaded = await handling.load(counterDecider, STREAM);
    const readsBefore = eventStore.reads;
    const handled = await handling.handle(counterDecider, STREAM, count(1), context, loaded);
    expect(handled).toMatchObject({ kind: 'accepted', loaded: { state: 2, last: { revision: 1 } } });
    expect(eventStore.reads).toBe(readsBefore);
  });

  it('costs a conflict and a reload when it is stale', async () => {
    const { handling, handle, clock } = setUp();
    const stale = await handling.load(counterDecider, STREAM);
    await handle(count(7));
    const pending = handling.handle(counterDecider, STREAM, { type: 'CountTo', total: 9 }, context, stale);
    await clock.advance(10);
    expect(await pending).toMatchObject({ kind: 'accepted', loaded: { state: 9 }, events: [{ data: { by: 2 } }] });
  });

  it('is not used by a command that had to wait for its turn', async () => {
    const { handling, handle } = setUp();
    const stale = await handling.load(counterDecider, STREAM);
    const [, second] = await Promise.all([
      handle(count(7)),
      handling.handle(counterDecider, STREAM, count(7), context, stale),
    ]);
    expect(second).toMatchObject({ kind: 'rejected', loaded: { state: 7 } });
  });
});

describe('an append whose answer was lost', () => {
  it('is found done when the command is repeated', async () => {
    const { handling, eventStore, clock } = setUp();
    const answer = eventStore.append.bind(eventStore);
    eventStore.append = async (...args): Promise<AppendResult> => {
      await answer(...args);
      eventStore.append = answer;
      throw new Error('the connection broke');
    };
    const command: CounterCommand = { type: 'CountTo', total: 3 };
    await expect(handling.handle(counterDecider, STREAM, command, context)).rejects.toThrow('connection');
    const repeated = handling.handle(counterDecider, STREAM, command, context);
    await clock.advance(1);
    expect(await repeated).toMatchObject({ kind: 'accepted', events: [], loaded: { state: 3, last: { revision: 0 } } });
  });
});
