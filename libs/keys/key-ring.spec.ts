import { DATA_KEYS_STREAM_ID, type DataKeyCreated } from '@app/keys/domain';
import {
  accepted,
  CommandHandling,
  type Decider,
  type DomainEvent,
  EventStoreUnavailableError,
  type EventMetadata,
  type EventToAppend,
  readEvent,
  type RecordedEvent,
  VerifiedEventStore,
} from '@app/event-sourcing';
import { foreignEvent, ownEvent } from '@app/event-sourcing/testing/recorded-events';
import { ManualClock, SeededRandom } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { KeyRing } from './key-ring';
import { DamagedSecretError, SecretCipher, WrongMasterKeyError } from './secret-cipher';

const masterKey = (fill: number) => new Uint8Array(32).fill(fill);
const context = { correlationId: 'r', causationId: null, actor: 'operator' };

type Counted = DomainEvent<'Counted', { readonly by: number }>;
const counter: Decider<number, number, Counted, never> = {
  schemas: { Counted: { version: 1 } },
  initialState: 0,
  evolve: (sum, { data }) => sum + data.by,
  decide: (by) => accepted({ type: 'Counted', data: { by } }),
};

describe('KeyRing', () => {
  let eventStore: MemoryEventStore;
  let clock: ManualClock;
  beforeEach(() => {
    eventStore = new MemoryEventStore();
    clock = new ManualClock();
  });

  /** One of several processes on the same log. */
  function process(seed: number, current = 1, previous: number | null = null) {
    const random = new SeededRandom(seed);
    const cipher = new SecretCipher(masterKey(current), previous === null ? null : masterKey(previous), random);
    const keyRing = new KeyRing({ eventStore, cipher, clock, random });
    const verified = new VerifiedEventStore(eventStore, keyRing);
    const handling = new CommandHandling({ eventStore: verified, clock, random, proofs: keyRing });
    const count = (streamId: string, by = 1) => handling.handle(counter, streamId, by, context);
    return { keyRing, verified, count, sum: async (id: string) => (await handling.load(counter, id)).state };
  }
  async function started(seed: number, current = 1, previous: number | null = null) {
    const here = process(seed, current, previous);
    await here.keyRing.load();
    return here;
  }
  const stored = async () => (await eventStore.readStream(DATA_KEYS_STREAM_ID)).map(({ type }) => type);
  const macKeyOf = ({ metadata }: RecordedEvent) => (JSON.parse(metadata) as { macKeyId: string }).macKeyId;

  it('creates a key for each purpose at the first start, which every later start and every other process uses', async () => {
    const first = await started(1);
    const other = await started(2);
    await first.keyRing.load();
    expect(await stored()).toEqual(['DataKeyCreated', 'DataKeyCreated', 'DataKeyCreated']);
    for (const purpose of ['FINGERPRINTS', 'EVENT_MACS', 'SEALS'] as const) {
      const [mine, theirs] = [first, other].map(({ keyRing }) => keyRing.keysFor(purpose));
      expect(mine).toHaveLength(1);
      expect(mine![0].dataKeyId).toBe(theirs![0].dataKeyId);
      expect(mine![0].key.equals(theirs![0].key)).toBe(true);
    }
  });

  it('agrees on the keys when several processes start at once', async () => {
    const processes = [1, 2, 3, 4].map((seed) => process(seed));
    const loading = Promise.all(processes.map(({ keyRing }) => keyRing.load()));
    await clock.advance(1_000);
    await loading;
    expect(await stored()).toHaveLength(3);
    const ids = processes.map(({ keyRing }) => keyRing.keysFor('EVENT_MACS')[0].dataKeyId);
    expect(new Set(ids).size).toBe(1);
  });

  it('neither proves nor hands out keys before they are read', () => {
    const { keyRing } = process(1);
    expect(keyRing.isLoaded).toBe(false);
    expect(() => keyRing.keysFor('FINGERPRINTS')).toThrow(EventStoreUnavailableError);
    expect(() =>
      keyRing.prove({ ...ownEvent('e', 'Counted'), streamId: 's', revision: 0, metadata: {} as never }),
    ).toThrow(EventStoreUnavailableError);
  });

  it('stands encrypted in the log', async () => {
    await started(1);
    const [event] = await eventStore.readStream(DATA_KEYS_STREAM_ID);
    const { wrapped } = JSON.parse(event!.data) as DataKeyCreated['data'];
    expect(Object.keys(wrapped)).toEqual(['keyId', 'iv', 'ciphertext', 'tag']);
    await expect(process(2, 2).keyRing.load()).rejects.toThrow(WrongMasterKeyError);
    expect(await stored()).toHaveLength(3);
  });

  it('proves each event, to every process', async () => {
    const here = await started(1);
    await here.count('counter-1', 2);
    await here.count('counter-1', 3);
    expect(await (await started(2)).sum('counter-1')).toBe(5);
  });

  describe('refuses', () => {
    const recorded = async () => (await eventStore.readStream('counter-1'))[1]!;
    const changed = (event: RecordedEvent, change: Partial<EventToAppend>) => ({ ...event, ...change });
    const metadataWith = (event: RecordedEvent, change: object) =>
      JSON.stringify({ ...(JSON.parse(event.metadata) as object), ...change });

    it.each<[string, (event: RecordedEvent) => RecordedEvent]>([
      ['its data', (event) => changed(event, { data: '{"by":30}' })],
      ['a blank', (event) => changed(event, { data: '{"by": 3}' })],
      ['its type', (event) => changed(event, { type: 'Reset' })],
      ['its id', (event) => changed(event, { id: '00000000-0000-4000-8000-000000000001' })],
      ['its stream', (event) => ({ ...event, streamId: 'counter-2' })],
      ['its revision', (event) => ({ ...event, revision: 2 })],
      ['the actor', (event) => changed(event, { metadata: metadataWith(event, { actor: 'merchant:m1' }) })],
      [
        'the time',
        (event) => changed(event, { metadata: metadataWith(event, { recordedAt: '2020-01-01T00:00:00.000Z' }) }),
      ],
      ['the hash', (event) => changed(event, { metadata: metadataWith(event, { hash: 'a'.repeat(64) }) })],
      ['the MAC', (event) => changed(event, { metadata: metadataWith(event, { mac: 'a'.repeat(64) }) })],
      ['the key of the MAC', (event) => changed(event, { metadata: metadataWith(event, { macKeyId: 'dk_x' }) })],
    ])('an event of which %s was changed', async (_what, change) => {
      const { count } = await started(1);
      await count('counter-1', 2);
      await count('counter-1', 3);
      const event = await recorded();
      const reading = process(2);
      await reading.keyRing.load();
      const read = eventStore.readStream.bind(eventStore);
      eventStore.readStream = async (id, options) =>
        id === DATA_KEYS_STREAM_ID ? read(id, options) : [event, change(event)];
      const [sound, forged] = await reading.verified.readStream('counter-1');
      expect(readEvent(sound!, counter.schemas).data).toEqual({ by: 3 });
      expect(() => readEvent(forged!, { Counted: { version: 1 }, Reset: { version: 1 } })).toThrow(
        expect.objectContaining({ name: 'UnreadableEventError', kind: 'FORGED' }),
      );
    });

    it('an event that others appended, with a chain and a form as ours', async () => {
      const { count, sum } = await started(1);
      await count('counter-1');
      const { metadata } = (await eventStore.readStream('counter-1'))[0]!;
      const { hash } = JSON.parse(metadata) as { hash: string };
      await eventStore.append('counter-1', 0, [ownEvent('forged', 'Counted', { by: 100 }, { previousHash: hash })]);
      await expect(sum('counter-1')).rejects.toMatchObject({ kind: 'FORGED', revision: 1 });
      await expect(count('counter-1')).rejects.toMatchObject({ kind: 'FORGED', revision: 1 });
    });
  });

  describe('and the stream of its keys', () => {
    it('ignores what no key proves, and what is not ours', async () => {
      await eventStore.append(DATA_KEYS_STREAM_ID, 'no-stream', [foreignEvent('f')]);
      const { keyRing } = await started(1);
      const before = keyRing.keysFor('EVENT_MACS')[0].dataKeyId;
      const [, , , last] = await eventStore.readStream(DATA_KEYS_STREAM_ID);
      const stolen = JSON.parse(last!.data) as DataKeyCreated['data'];
      const forged = [
        ownEvent('a', 'DataKeyCreated', { ...stolen, keyId: 'dk_forged', purpose: 'EVENT_MACS' }),
        ownEvent('b', 'DataKeyRetired', { keyId: before }),
        ownEvent('c', 'DataKeyCreated', { wrapped: 'nothing' }),
        { ...ownEvent('d', 'DataKeyCreated'), data: 'no JSON' },
      ];
      await eventStore.append(DATA_KEYS_STREAM_ID, 3, forged);
      const later = await started(2);
      expect(later.keyRing.keysFor('EVENT_MACS').map(({ dataKeyId }) => dataKeyId)).toEqual([before]);
      await later.count('counter-1');
      expect(await later.sum('counter-1')).toBe(1);
    });

    it('does not start over a key that the right master key does not open', async () => {
      await started(1);
      const events = await eventStore.readStream(DATA_KEYS_STREAM_ID);
      const spoiled = events.map((event) => ({ ...event, data: event.data.replace('"tag":"', '"tag":"AAAA') }));
      eventStore.readStream = async () => spoiled;
      await expect(process(2).keyRing.load()).rejects.toThrow(DamagedSecretError);
    });
  });

  describe('in a rotation of the master key', () => {
    it('replaces the keys that prove, keeps the others, and encrypts all under the new one', async () => {
      // It knows the new master key already, and encrypts under the old one.
      const before = await started(1, 1, 2);
      await before.count('counter-1', 2);
      const fingerprints = before.keyRing.keysFor('FINGERPRINTS')[0].dataKeyId;
      const rotating = await started(2, 2, 1);
      expect(await rotating.keyRing.rotate()).toBe(3);
      expect(await rotating.keyRing.rotate()).toBe(0);
      await rotating.count('counter-1', 3);
      const [old, recent] = await eventStore.readStream('counter-1');
      expect(macKeyOf(recent!)).not.toBe(macKeyOf(old!));
      const after = await started(3, 2);
      expect(after.keyRing.keysFor('FINGERPRINTS').map(({ dataKeyId }) => dataKeyId)).toEqual([fingerprints]);
      expect(after.keyRing.keysFor('SEALS')).toHaveLength(2);
      expect(await after.sum('counter-1')).toBe(5);
      // A process that has not read the new key yet reads it when it meets an event that it proves.
      expect(await before.sum('counter-1')).toBe(5);
    });

    it('is not undone by a read of the keys that began before it and ends after it', async () => {
      await (await started(2, 1)).count('counter-1', 1);
      const here = await started(1, 2, 1);
      const early = await eventStore.readStream(DATA_KEYS_STREAM_ID);
      await here.keyRing.rotate();
      await here.count('counter-1', 2);
      const read = eventStore.readStream.bind(eventStore);
      eventStore.readStream = async (id, options) => (id === DATA_KEYS_STREAM_ID ? early : read(id, options));
      await here.keyRing.refresh();
      eventStore.readStream = read;
      const [, recent] = await eventStore.readStream('counter-1');
      expect(here.keyRing.check(recent!, JSON.parse(recent!.metadata) as EventMetadata)).toEqual({ kind: 'PROVEN' });
    });

    it('retires the replaced keys once every process knows the new ones: old events count, later ones do not', async () => {
      // It knows the new master key already, and encrypts under the old one.
      const before = await started(1, 1, 2);
      await before.count('counter-1', 2);
      const rotating = await started(2, 2, 1);
      await rotating.keyRing.rotate();
      await clock.advance(3_600_000);
      await rotating.keyRing.retireReplaced();
      expect(await stored()).not.toContain('DataKeyRetired');
      const after = await started(3, 2);
      await before.count('counter-2', 7);
      await after.keyRing.retireReplaced();
      await after.keyRing.retireReplaced();
      expect((await stored()).filter((type) => type === 'DataKeyRetired')).toHaveLength(2);
      // Whoever still has the old keys, such as a thief of the old master key, is believed no more.
      await before.count('counter-3', 100);
      const last = await started(4, 2);
      expect([await last.sum('counter-1'), await last.sum('counter-2')]).toEqual([2, 7]);
      await expect(last.sum('counter-3')).rejects.toMatchObject({ kind: 'FORGED', reason: /had been retired/ });
    });

    it('does not retire a key that was replaced just now', async () => {
      await started(1);
      await (await started(2, 2, 1)).keyRing.rotate();
      const after = await started(3, 2);
      await clock.advance(599_000);
      await after.keyRing.retireReplaced();
      expect(await stored()).not.toContain('DataKeyRetired');
      await clock.advance(2_000);
      await after.keyRing.retireReplaced();
      expect(await stored()).toContain('DataKeyRetired');
    });
  });
});
