import { type EventStore, WrongExpectedRevisionError } from '@app/event-sourcing';
import { idsOf, newCategory, newEvent, newEvents } from './event-store-support.contract';

export function describeAppends(store: () => EventStore): void {
  let streamId: string;
  beforeEach(() => {
    streamId = `${newCategory()}-1`;
  });

  it('assign revisions from 0 without gaps, and return the last event’s revision and position', async () => {
    const first = await store().append(streamId, 'no-stream', newEvents(2));
    const second = await store().append(streamId, 1, newEvents(3));
    const events = await store().readStream(streamId);
    expect([first.revision, second.revision]).toEqual([1, 4]);
    expect(events.map(({ revision }) => revision)).toEqual([0, 1, 2, 3, 4]);
    expect([events[1]?.position, events[4]?.position]).toEqual([first.position, second.position]);
  });

  it('assign rising positions across streams', async () => {
    const positions: bigint[] = [];
    for (let n = 0; n < 5; n += 1) {
      const { position } = await store().append(`${streamId}${n}`, 'no-stream', [newEvent()]);
      positions.push(position);
    }
    expect(positions).toEqual([...new Set(positions)].sort((a, b) => (a < b ? -1 : 1)));
  });

  it('keep every byte of the stored text', async () => {
    const text = JSON.stringify({
      text: '\u0000\ufeff"\\ é e\u0301 漢字 \u{1F9FE} \u2028 \ufffd',
      big: '9'.repeat(40),
    });
    const event = { ...newEvent('Ünïcode'), data: ` ${text}\n`, metadata: `\ufeff${text}` };
    await store().append(streamId, 'no-stream', [event, { ...newEvent(), data: '{}', metadata: '{}' }]);
    expect(await store().readStream(streamId)).toMatchObject([event, { data: '{}', metadata: '{}' }]);
  });

  it('accept many events with large data at once', async () => {
    const events = newEvents(200).map((event) => ({ ...event, data: JSON.stringify({ text: 'x'.repeat(4_000) }) }));
    await store().append(streamId, 'no-stream', events);
    expect(idsOf(await store().readStream(streamId))).toEqual(idsOf(events));
  });

  it('are refused if the stream exists and none was expected, with its revision', async () => {
    await store().append(streamId, 'no-stream', newEvents(2));
    const refused = store().append(streamId, 'no-stream', [newEvent()]);
    await expect(refused).rejects.toBeInstanceOf(WrongExpectedRevisionError);
    await expect(refused).rejects.toMatchObject({ streamId, actual: 1 });
  });

  it('are refused if the stream does not exist and a revision was expected', async () => {
    const refused = store().append(streamId, 0, [newEvent()]);
    await expect(refused).rejects.toBeInstanceOf(WrongExpectedRevisionError);
    await expect(refused).rejects.toMatchObject({ streamId, actual: null });
  });

  it.each([0, 2])('that expect revision %i of a stream at 1 are refused, and write nothing', async (expected) => {
    const events = newEvents(2);
    await store().append(streamId, 'no-stream', events);
    await expect(store().append(streamId, expected, newEvents(3))).rejects.toMatchObject({ actual: 1 });
    expect(idsOf(await store().readStream(streamId))).toEqual(idsOf(events));
  });

  it('let exactly one of many concurrent appends win each revision, with all of its events or none', async () => {
    let expected: number | 'no-stream' = 'no-stream';
    const winners: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const contenders = Array.from({ length: 10 }, () => newEvents(2));
      const asked = expected;
      const outcomes = await Promise.allSettled(contenders.map((events) => store().append(streamId, asked, events)));
      const won = contenders.filter((_, index) => outcomes[index]?.status === 'fulfilled');
      expect(won).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(WrongExpectedRevisionError);
      }
      winners.push(...idsOf(won.flat()));
      expected = winners.length - 1;
    }
    expect(idsOf(await store().readStream(streamId))).toEqual(winners);
  });

  it('succeed concurrently on many streams, beside refused ones', async () => {
    await store().append(streamId, 'no-stream', [newEvent()]);
    const names = Array.from({ length: 40 }, (_, n) => `${streamId}${n}`);
    const outcomes = await Promise.allSettled(
      names.flatMap((name) => [
        store().append(name, 'no-stream', newEvents(2)),
        store().append(streamId, 'no-stream', [newEvent()]),
      ]),
    );
    const statuses = outcomes.map(({ status }) => status);
    expect(statuses).toEqual(names.flatMap(() => ['fulfilled', 'rejected']));
    const lengths = await Promise.all(names.map(async (name) => (await store().readStream(name)).length));
    expect(lengths).toEqual(names.map(() => 2));
    expect(await store().readStream(streamId)).toHaveLength(1);
  });

  describe('of the very same events again', () => {
    it('return the first result and count once, even after later appends', async () => {
      const first = newEvents(2);
      const second = newEvents(3);
      const answers = [
        await store().append(streamId, 'no-stream', first),
        await store().append(streamId, 1, second),
        await store().append(streamId, 4, [newEvent()]),
      ];
      expect(await store().append(streamId, 'no-stream', first)).toEqual(answers[0]);
      expect(await store().append(streamId, 1, second)).toEqual(answers[1]);
      expect(await store().readStream(streamId)).toHaveLength(6);
    });

    it('return the same result when both run at the same time', async () => {
      const events = newEvents(2);
      const send = () => store().append(streamId, 'no-stream', events);
      const [first, second] = await Promise.all([send(), send()]);
      expect(second).toEqual(first);
      expect(await store().readStream(streamId)).toHaveLength(2);
    });

    it('are refused if they differ from the stored events, or are more', async () => {
      const [one, two] = [newEvent(), newEvent()];
      await store().append(streamId, 'no-stream', [one, two]);
      for (const events of [[one, newEvent()], [newEvent(), two], [two], [one, two, newEvent()]]) {
        await expect(store().append(streamId, 'no-stream', events)).rejects.toBeInstanceOf(WrongExpectedRevisionError);
      }
      expect(idsOf(await store().readStream(streamId))).toEqual([one.id, two.id]);
    });

    it('are not a repeat with another expected revision', async () => {
      const event = newEvent();
      await store().append(streamId, 'no-stream', [newEvent()]);
      await store().append(streamId, 0, [event]);
      await expect(store().append(streamId, 'no-stream', [event])).rejects.toMatchObject({ actual: 1 });
    });
  });
}
