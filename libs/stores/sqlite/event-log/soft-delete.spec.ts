import { randomUUID } from 'node:crypto';
import { StreamDeletedError, WrongExpectedRevisionError } from '@app/event-sourcing';
import { EventLog } from './event-log';
import type { LogEventToAppend } from './log-event';
import { logEvents, SpecClock, temporaryDirectory } from '@app/stores/testing/event-log/spec-log';

describe('the readable part of a stream', () => {
  let temporary: ReturnType<typeof temporaryDirectory>;
  let log: EventLog;
  let nowMs: number;
  const clock = new SpecClock(() => nowMs);

  beforeEach(() => {
    temporary = temporaryDirectory();
    nowMs = 1_700_000_000_000;
    log = EventLog.open({ directory: temporary.directory, clock });
  });
  afterEach(async () => {
    await log.close();
    temporary.remove();
  });

  const reopen = async () => {
    await log.close();
    log = EventLog.open({ directory: temporary.directory, clock });
  };
  const metadata = (text: string): LogEventToAppend[] => [
    { id: randomUUID(), type: '$metadata', isJson: true, data: Buffer.from(text), metadata: new Uint8Array(0) },
  ];
  const revisions = (name: string, direction: 'forwards' | 'backwards' = 'forwards', maxCount = 100) => {
    const stream = log.describeStream(name);
    const found: bigint[] = [];
    let next: bigint | null = direction === 'forwards' ? 0n : stream.lastRevision;
    while (next !== null) {
      const page = log.readStreamPage(stream, { direction, from: next, maxCount });
      found.push(...page.events.map(({ revision }) => revision));
      next = page.next;
    }
    return found;
  };
  const lastMetadata = async (name: string) =>
    Buffer.from((await log.readStream(`$$${name}`)).at(-1)!.data).toString('utf8');

  it.each([
    ['{"$maxCount":2}', [2n, 3n]],
    ['{"$tb":1}', [1n, 2n, 3n]],
    ['{"$tb":1,"$maxCount":3}', [1n, 2n, 3n]],
    ['{"$tb":4}', []],
    ['{"$maxCount":-1,"$tb":"2","$maxAge":0}', [0n, 1n, 2n, 3n]],
    ['[]', [0n, 1n, 2n, 3n]],
    ['that is not JSON', [0n, 1n, 2n, 3n]],
  ])('is determined by metadata %s', async (text, expected) => {
    await log.append('a-1', 'no-stream', logEvents(4));
    await log.append('$$a-1', 'any', metadata(text));
    expect(log.describeStream('a-1')).toMatchObject({ state: 'existing', lastRevision: 3n });
    expect(revisions('a-1')).toEqual(expected);
    expect(revisions('a-1', 'forwards', 1)).toEqual(expected);
    expect(revisions('a-1', 'backwards', 1)).toEqual([...expected].reverse());
  });

  it('excludes events older than $maxAge', async () => {
    await log.append('a-1', 'no-stream', logEvents(2));
    nowMs += 10_000;
    await log.append('a-1', 1n, logEvents(2));
    await log.append('$$a-1', 'any', metadata('{"$maxAge":10}'));
    expect(revisions('a-1')).toEqual([0n, 1n, 2n, 3n]);
    nowMs += 1;
    expect(revisions('a-1', 'forwards', 1)).toEqual([2n, 3n]);
    expect(revisions('a-1', 'backwards', 1)).toEqual([3n, 2n]);
    nowMs += 10_000;
    expect(revisions('a-1')).toEqual([]);
    expect(log.describeStream('a-1').state).toBe('existing');
  });

  it('is only the last event for a metadata stream', async () => {
    for (const text of ['{"$maxCount":1}', '{"$maxCount":2}']) await log.append('$$a-1', 'any', metadata(text));
    expect(revisions('$$a-1')).toEqual([1n]);
    expect(log.describeStream('a-1').state).toBe('absent');
    await log.tombstone('a-1', 'any', randomUUID());
    expect(log.describeStream('$$a-1').state).toBe('tombstoned');
    await log.tombstone('a-2', 'any', randomUUID());
    expect(log.describeStream('$$a-2').state).toBe('tombstoned');
  });

  describe('after a soft delete', () => {
    beforeEach(async () => {
      await log.append('a-1', 'no-stream', logEvents(3));
      await log.append('$$a-1', 'any', metadata('{"$maxCount":7,"owner":"x"}'));
      expect(await log.softDelete('a-1', 2n)).toEqual({ revision: 2n, position: 5n });
    });

    it.each(['same process', 'reopened'])('is empty (%s)', async (how) => {
      if (how === 'reopened') await reopen();
      expect(log.describeStream('a-1')).toMatchObject({ state: 'absent', lastRevision: 2n });
      expect(await lastMetadata('a-1')).toBe('{"$tb":9223372036854775807}');
      await expect(log.append('a-1', 'stream-exists', logEvents(1))).rejects.toBeInstanceOf(StreamDeletedError);
      await expect(log.append('a-1', 1n, logEvents(1))).rejects.toMatchObject({ actual: 2 });
    });

    it.each(['any', 'no-stream', 2n] as const)('starts again with an append that expects %s', async (expected) => {
      await reopen();
      expect(await log.append('a-1', expected, logEvents(2))).toEqual({ revision: 4n, position: 7n });
      expect(await lastMetadata('a-1')).toBe('{"$tb":3}');
      expect(revisions('a-1')).toEqual([3n, 4n]);
      // From now on it is an ordinary stream.
      await expect(log.append('a-1', 'no-stream', logEvents(1))).rejects.toBeInstanceOf(WrongExpectedRevisionError);
      expect(await log.append('a-1', 4n, logEvents(1))).toEqual({ revision: 5n, position: 9n });
      expect(log.lastPosition).toBe(9n);
    });

    it('is recreated once by an append that is sent twice', async () => {
      const events = logEvents(2);
      const first = await log.append('a-1', 'any', events);
      expect(await log.append('a-1', 'any', events)).toEqual(first);
      expect(await log.append('a-1', 2n, events)).toEqual(first);
    });

    it('stays hidden when new metadata recreates the stream, and can be deleted again through metadata', async () => {
      expect(await log.append('$$a-1', 'any', metadata('{"$maxCount":5}'))).toEqual({ revision: 2n, position: 6n });
      expect(await lastMetadata('a-1')).toBe('{"$maxCount":5,"$tb":3}');
      expect(log.describeStream('a-1').state).toBe('existing');
      expect(revisions('a-1')).toEqual([]);
      for (let n = 0; n < 2; n += 1) {
        await log.append('$$a-1', 'any', metadata('{"$tb":9223372036854775807}'));
        expect(await lastMetadata('a-1')).toBe('{"$tb":9223372036854775807}');
      }
      expect(log.describeStream('a-1').state).toBe('absent');
    });

    it('can be tombstoned', async () => {
      await log.tombstone('a-1', 'no-stream', randomUUID());
      expect(log.describeStream('a-1').state).toBe('tombstoned');
      await expect(log.softDelete('a-1', 'any')).rejects.toBeInstanceOf(StreamDeletedError);
    });
  });

  it('is not deleted if there is nothing, or at another revision', async () => {
    for (const expected of ['any', 'no-stream', 0n] as const) {
      await expect(log.softDelete('a-1', expected)).rejects.toBeInstanceOf(WrongExpectedRevisionError);
    }
    await log.append('a-1', 'any', logEvents(2));
    for (const expected of ['no-stream', 0n, 2n] as const) {
      await expect(log.softDelete('a-1', expected)).rejects.toBeInstanceOf(WrongExpectedRevisionError);
    }
    await log.append('$$a-2', 'any', metadata('{}'));
    await log.softDelete('a-2', 'any');
    expect(log.describeStream('a-2').state).toBe('absent');
    await log.append('a-2', 'no-stream', logEvents(1));
    expect(revisions('a-2')).toEqual([0n]);
  });

  it('of the whole log can be read backwards', async () => {
    for (const name of ['a-1', 'b-1', 'a-1']) await log.append(name, 'any', logEvents(1));
    const page = log.readAllBackwards({ before: 4n, maxCount: 2 });
    expect(page.events.map(({ position }) => position)).toEqual([3n, 2n]);
    expect(log.readAllBackwards({ before: page.position, maxCount: 2 })).toMatchObject({ position: 1n });
    expect(log.readAllBackwards({ before: 1n, maxCount: 2 })).toEqual({ events: [], position: 0n });
  });
});
