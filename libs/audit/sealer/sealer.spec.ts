import { type Seal, SEALS_STREAM_ID } from '@app/audit/domain';
import { type EventBatch, EventStoreUnavailableError } from '@app/event-sourcing';
import { foreignEvent } from '@app/event-sourcing/testing/recorded-events';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { AuditedLog, SpecSealingKeys, streamOf, verified } from '../testing/audited-log';
import { MAX_LEAVES, UnknownSealKeyError } from './sealer';

const seals = async (log: AuditedLog): Promise<Seal[]> =>
  (await log.eventStore.readStream(SEALS_STREAM_ID))
    .filter(({ type }) => type === 'HistorySealed')
    .map(({ data }) => JSON.parse(data) as Seal);

describe('the sealer', () => {
  it('introduces its key, seals what is new, and nothing twice', async () => {
    const log = new AuditedLog();
    const sealer = log.newSealer();
    expect(await sealer.seal()).toMatchObject({ size: 0, sealedAt: null });
    await log.write(1, '100', '200');
    await log.write(2, '300');
    expect(await sealer.seal()).toMatchObject({ size: 3, isMore: false });
    expect(await sealer.seal()).toMatchObject({ size: 3, sealedAt: null });
    await log.write(1, '400');
    expect(await log.newSealer().seal()).toMatchObject({ size: 4 });
    const [first, second] = await seals(log);
    expect(first).toMatchObject({ size: 3, lastLeaf: { streamId: streamOf(2), revision: 0 }, refused: [] });
    expect(first?.streamEnds.map(({ streamId, revision }) => [streamId, revision])).toEqual([
      [streamOf(1), 1],
      [streamOf(2), 0],
    ]);
    expect(second?.streamEnds.map(({ streamId, revision }) => [streamId, revision])).toEqual([[streamOf(1), 2]]);
    const types = (await log.eventStore.readStream(SEALS_STREAM_ID)).map(({ type }) => type);
    expect(types).toEqual(['SealKeyIntroduced', 'HistorySealed', 'HistorySealed']);
    expect(verified(await log.events()).findings.verdict).toBe('INTACT');
  });

  it('seals many events in several seals', async () => {
    const log = new AuditedLog();
    for (let payment = 0; payment < 3; payment += 1) await log.write(payment, ...Array<string>(500).fill('1'));
    const sealer = log.newSealer();
    expect(await sealer.seal()).toMatchObject({ size: MAX_LEAVES, isMore: true });
    expect(await sealer.seal()).toMatchObject({ size: 1_500, isMore: false });
    expect(verified(await log.events()).findings.verdict).toBe('INTACT');
  });

  it('names the events that the service does not accept', async () => {
    const log = new AuditedLog();
    await log.write(1, '100');
    await log.eventStore.append(streamOf(1), 0, [foreignEvent(log.random.uuid())]);
    const { metadata } = (await log.events())[0]!;
    const forged = { ...(JSON.parse(metadata) as object), actor: 'nobody' };
    const event = { id: log.random.uuid(), type: 'PaymentCaptured', data: '{}', metadata: JSON.stringify(forged) };
    await log.eventStore.append(streamOf(1), 1, [event]);
    await log.newSealer().seal();
    expect((await seals(log))[0]?.refused).toEqual([1, 2].map((revision) => ({ streamId: streamOf(1), revision })));
  });

  it('two at once: both go on from whichever seal came first, and each event is sealed once', async () => {
    const log = new AuditedLog();
    const sealers = [log.newSealer(), log.process(8).newSealer(), log.process(9).newSealer()];
    for (let round = 0; round < 20; round += 1) {
      await log.write(round % 4, '1', '2');
      await Promise.all(sealers.map((sealer) => sealer.seal()));
    }
    for (const sealer of sealers) await sealer.seal();
    const sizes = (await seals(log)).map(({ size }) => size);
    expect(sizes.at(-1)).toBe(40);
    expect(sizes).toEqual([...new Set(sizes)].sort((a, b) => a - b));
    expect(verified(await log.events()).findings.verdict).toBe('INTACT');
  });

  it.each(['before', 'after'])('is killed %s its seal is stored: the next one goes on', async (when) => {
    const store = new MemoryEventStore();
    const log = await new AuditedLog(store).fill();
    const append = store.append.bind(store);
    store.append = async (...args) => {
      if (when === 'after') await append(...args);
      throw new EventStoreUnavailableError('killed');
    };
    await expect(log.newSealer().seal()).rejects.toThrow('killed');
    store.append = append;
    expect(await log.process(8).newSealer().seal()).toMatchObject({ size: 10 });
    expect(verified(await log.events()).findings.verdict).toBe('INTACT');
    expect((await seals(log)).map(({ size }) => size)).toEqual([5, 9, 10]);
  });
});

describe('a new key', () => {
  it('is introduced by the old one, whose seals are refused from then on', async () => {
    const log = await new AuditedLog().fill();
    const old = log.newSealer();
    await old.seal();
    const { publicKey } = log.keys;
    log.keys.seeds.push(2);
    await log.write(4, '5');
    expect(await log.process(8).newSealer().seal()).toMatchObject({ size: 11 });
    log.keys.seeds.pop();
    await log.write(4, '6');
    expect(await old.seal()).toMatchObject({ sealedAt: null });
    await expect(old.seal()).rejects.toThrow(/does not have its key/);
    log.keys.seeds.push(2);
    for (const key of [publicKey, log.keys.publicKey, null]) {
      expect(verified(await log.events(), { publicKey: key }).findings.state).toMatchObject({ counts: {} });
    }
    const other = new SpecSealingKeys([3]).publicKey;
    expect(verified(await log.events(), { publicKey: other }).findings.verdict).toBe('SEAL_FORGED');
  });

  it('cannot be introduced without the old one', async () => {
    const log = await new AuditedLog().fill();
    await log.newSealer().seal();
    log.keys.seeds.splice(0, 1, 2);
    await expect(log.newSealer().seal()).rejects.toThrow(/does not have its key/);
    const introduced = new AuditedLog(new MemoryEventStore(), new SpecSealingKeys([1]));
    await introduced.write(1, '1');
    const sealer = introduced.newSealer();
    await sealer.seal();
    introduced.keys.seeds.splice(0, 1, 2);
    await introduced.write(1, '2');
    await expect(sealer.seal()).rejects.toThrow(UnknownSealKeyError);
  });
});

/** A log from which events are left out, or in which they are others, as somebody with the file can do. */
class TamperedStore extends MemoryEventStore {
  change: (events: EventBatch['events']) => EventBatch['events'] = (events) => events;

  override async readAll(...args: Parameters<MemoryEventStore['readAll']>): Promise<EventBatch> {
    const batch = await super.readAll(...args);
    return { ...batch, events: this.change(batch.events) };
  }
}

describe('over a log that contradicts its last seal', () => {
  it.each<[string, RegExp, TamperedStore['change']]>([
    ['an event is gone', /covers 1 more event/, (events) => events.slice(0, -1)],
    [
      'an event was changed',
      /are others|not where it was/,
      (events) => events.map((event) => ({ ...event, data: event.data.replace('20', '21') })),
    ],
    [
      'the last event is another one',
      /not where it was/,
      (events) => events.map((event) => ({ ...event, data: event.data.replace('30', '31') })),
    ],
    ['the order is another one', /not where it was/, (events) => [...events].reverse()],
  ])('nothing is sealed: %s', async (_what, why, change) => {
    const store = new TamperedStore();
    const log = await new AuditedLog(store).fill();
    const before = await seals(log);
    store.change = (events) => (events.length > 4 ? change(events.slice(0, 4)) : change(events));
    await expect(log.newSealer().seal()).rejects.toThrow(why);
    expect(await seals(log)).toEqual(before);
    store.change = (events) => events;
    expect(await log.newSealer().seal()).toMatchObject({ size: 10 });
  });
});
