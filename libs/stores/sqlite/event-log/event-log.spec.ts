import { randomUUID } from 'node:crypto';
import { StreamDeletedError, WrongExpectedRevisionError } from '@app/event-sourcing';
import { AppendTooLargeError } from './errors';
import { EventLog } from './event-log';
import { TOMBSTONE_REVISION } from './log-event';
import { logEvents, SpecClock, temporaryDirectory } from '@app/stores/testing/event-log/spec-log';

describe('EventLog', () => {
  let temporary: ReturnType<typeof temporaryDirectory>;
  let log: EventLog;
  const open = (nowMs = 1_700_000_000_123) =>
    EventLog.open({ directory: temporary.directory, clock: new SpecClock(() => nowMs), tailEvents: 0 });
  const reopen = async () => {
    await log.close();
    log = open();
  };

  beforeEach(() => {
    temporary = temporaryDirectory();
    log = open();
  });
  afterEach(async () => {
    await log.close();
    temporary.remove();
  });

  it('returns bytes, content type, ids in lower case and the time in ticks of 100 ns', async () => {
    const [json, bytes] = logEvents(2);
    await log.append('a-1', 'any', [{ ...json!, id: json!.id.toUpperCase() }, bytes!]);
    const createdTicks = 17_000_000_001_230_000n;
    const stored = await log.readStream('a-1');
    expect(stored.map((event) => ({ ...event, data: [...event.data], metadata: [...event.metadata] }))).toEqual([
      { ...json, data: [0, 0, 255], metadata: [], streamName: 'a-1', revision: 0n, position: 1n, createdTicks },
      { ...bytes, data: [1, 0, 255], metadata: [], streamName: 'a-1', revision: 1n, position: 2n, createdTicks },
    ]);
    expect(stored.map(({ isJson }) => isJson)).toEqual([true, false]);
  });

  it('treats system streams, links, and streams without a dash like any other', async () => {
    for (const name of ['$users', '$ce-a', '$$a-1', 'keys', '-x', '$et-A'])
      await log.append(name, 'no-stream', logEvents(1, '$>'));
    const page = log.readAllPage({ after: 0n, filter: { streamPrefixes: ['$'] }, maxCount: 10 });
    expect(page.events.map(({ streamName }) => streamName)).toEqual(['$users', '$ce-a', '$$a-1', '$et-A']);
    expect(page).toMatchObject({ position: 6n, caughtUp: true });
  });

  it('refuses an append over the limit, and invalid names and ids', async () => {
    const [event] = logEvents(1);
    const append = (changed: object, name = 'a-1') => log.append(name, 'any', [{ ...event!, ...changed }]);
    await expect(append({ data: new Uint8Array(17 * 1024 * 1024) })).rejects.toBeInstanceOf(AppendTooLargeError);
    await expect(append({ id: 'no-uuid' })).rejects.toThrow('UUID');
    await expect(append({ type: '' })).rejects.toThrow('type');
    await expect(append({}, '')).rejects.toThrow('name');
    expect(log.lastPosition).toBe(0n);
  });

  it('checks the expected revision of an append without events', async () => {
    expect(await log.append('a-1', 'no-stream', [])).toEqual({ revision: -1n, position: 0n });
    await log.append('a-1', 'no-stream', logEvents(2));
    expect(await log.append('a-1', 1n, [])).toEqual({ revision: 1n, position: 2n });
    await expect(log.append('a-1', 0n, [])).rejects.toBeInstanceOf(WrongExpectedRevisionError);
  });

  describe('an append to any revision', () => {
    it.each(['same process', 'reopened'])('is recognised as a repeat (%s)', async (how) => {
      const events = logEvents(3);
      const first = await log.append('a-1', 'any', events);
      await log.append('a-1', 'any', logEvents(1));
      if (how === 'reopened') await reopen();
      expect(await log.append('a-1', 'any', events)).toEqual(first);
      expect(await log.append('a-1', 'any', events.slice(0, 2))).toEqual({ revision: 1n, position: 2n });
      expect(log.lastPosition).toBe(4n);
    });

    it('is new if the same ids are in another stream', async () => {
      const events = logEvents(1);
      await log.append('a-1', 'any', events);
      expect(await log.append('a-2', 'any', events)).toEqual({ revision: 0n, position: 2n });
    });

    it('is refused for known events followed by unknown ones, and written for unknown followed by known', async () => {
      const [one, two] = logEvents(2);
      await log.append('a-1', 'any', [one!]);
      await expect(log.append('a-1', 'any', [one!, two!])).rejects.toBeInstanceOf(WrongExpectedRevisionError);
      expect(await log.append('a-1', 'any', [two!, one!])).toEqual({ revision: 2n, position: 3n });
    });
  });

  describe('an append to a stream that must exist', () => {
    it('is refused if there is none, and accepted if there are events or metadata', async () => {
      await expect(log.append('a-1', 'stream-exists', logEvents(1))).rejects.toMatchObject({ actual: null });
      await log.append('a-1', 'no-stream', logEvents(1));
      expect(await log.append('a-1', 'stream-exists', logEvents(1))).toMatchObject({ revision: 1n });
      await log.append('$$a-2', 'no-stream', logEvents(1, '$metadata'));
      expect(await log.append('a-2', 'stream-exists', logEvents(1))).toMatchObject({ revision: 0n });
    });
  });

  describe('a tombstone', () => {
    it.each(['same process', 'reopened'])('ends the stream and its metadata for good (%s)', async (how) => {
      await log.append('a-1', 'no-stream', logEvents(2));
      const { position } = await log.tombstone('a-1', 1n, randomUUID());
      if (how === 'reopened') await reopen();
      for (const expected of ['any', 'no-stream', 'stream-exists', 1n] as const) {
        await expect(log.append('a-1', expected, logEvents(1))).rejects.toBeInstanceOf(StreamDeletedError);
      }
      await expect(log.append('$$a-1', 'any', logEvents(1))).rejects.toBeInstanceOf(StreamDeletedError);
      await expect(log.readStream('a-1')).rejects.toBeInstanceOf(StreamDeletedError);
      await expect(log.tombstone('a-1', 'any', randomUUID())).rejects.toBeInstanceOf(StreamDeletedError);
      const page = log.readAllPage({ after: 2n, filter: { streamPrefixes: ['a-'] }, maxCount: 10 });
      expect(page.events).toMatchObject([{ type: '$streamDeleted', revision: TOMBSTONE_REVISION, position }]);
    });

    it('can end a stream that never existed, but not one at another revision', async () => {
      await log.tombstone('a-1', 'no-stream', randomUUID());
      await expect(log.append('a-1', 'any', logEvents(1))).rejects.toBeInstanceOf(StreamDeletedError);
      await log.append('a-2', 'any', logEvents(2));
      await expect(log.tombstone('a-2', 0n, randomUUID())).rejects.toBeInstanceOf(WrongExpectedRevisionError);
    });
  });

  it('finds more streams than it caches', async () => {
    const names = Array.from({ length: 17_000 }, (_, n) => `a-${n}`);
    await Promise.all(names.slice(0, 9_000).map((name) => log.append(name, 'no-stream', logEvents(1))));
    await Promise.all(names.slice(9_000).map((name) => log.append(name, 'no-stream', logEvents(1))));
    expect(await log.append('a-0', 0n, logEvents(1))).toEqual({ revision: 1n, position: 17_001n });
    await expect(log.append('a-1', 'no-stream', logEvents(1))).rejects.toBeInstanceOf(WrongExpectedRevisionError);
  });

  it('considers a bounded number of events per page, and returns how far it came', async () => {
    for (let n = 0; n < 5; n += 1) await log.append(`a-foreign${n}`, 'no-stream', logEvents(1_000));
    await log.append('a-mine', 'no-stream', logEvents(1));
    for (const filter of [{ streamPrefixes: ['a-mine'] }, { streamPrefixes: [''], types: ['None'] }]) {
      const page = log.readAllPage({ after: 0n, filter, maxCount: 10 });
      expect(page).toMatchObject({ events: [], caughtUp: false });
      expect(page.position).toBeGreaterThan(0n);
      expect(page.position).toBeLessThan(5_000n);
    }
    // The stream's own category is found without scanning the others.
    await log.append('b-1', 'no-stream', logEvents(1));
    const page = log.readAllPage({ after: 0n, filter: { streamPrefixes: ['b-', 'c-'] }, maxCount: 10 });
    expect(page).toMatchObject({ events: [{ streamName: 'b-1' }], position: 5_002n, caughtUp: true });
  });

  it('scans the whole log if a prefix spans many categories', async () => {
    const names = Array.from({ length: 40 }, (_, n) => `x${n}-1`);
    for (const name of names) await log.append(name, 'no-stream', logEvents(1));
    await log.append('y-1', 'no-stream', logEvents(1));
    const page = log.readAllPage({ after: 0n, filter: { streamPrefixes: ['x'] }, maxCount: 100 });
    expect(page.events.map(({ streamName }) => streamName)).toEqual(names);
    expect(page).toMatchObject({ position: 41n, caughtUp: true });
  });

  it('ends a page early if events are large', async () => {
    for (let n = 0; n < 6; n += 1) {
      const large = logEvents(1).map((event) => ({ ...event, data: new Uint8Array(1024 * 1024) }));
      await log.append('a-1', 'any', large);
    }
    const page = log.readAllPage({ after: 0n, filter: { streamPrefixes: ['a-'] }, maxCount: 100 });
    expect(page.events.length).toBeLessThan(6);
    expect(page).toMatchObject({ position: BigInt(page.events.length), caughtUp: false });
    expect(await log.readStream('a-1')).toHaveLength(6);
  });
});
