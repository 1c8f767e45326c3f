import { createHmac, hash } from 'node:crypto';
import { DATA_KEYS_STREAM_ID, type DataKeyCreated } from '@app/keys/domain';
import { CommandHandling, EventStoreUnavailableError, type EventMetadata } from '@app/event-sourcing';
import { foreignEvent, ownEvent } from '@app/event-sourcing/testing/recorded-events';
import { sha256Netstrings } from '@app/platform/lifecycle/system-environment';
import { ManualClock } from '@app/platform/testing/manual-clock';
import { SeededRandom } from '@app/platform/testing/seeded-random';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { RequestFingerprints, SecretCipher, WrongMasterKeyError } from './';

const masterKey = (fill: number) => new Uint8Array(32).fill(fill);

/** The fingerprints of one of several processes on the same log. */
function process(eventStore: MemoryEventStore, seed: number, master = masterKey(1), clock = new ManualClock()) {
  const random = new SeededRandom(seed);
  const handling = new CommandHandling({ eventStore, clock, random, hash: sha256Netstrings });
  return new RequestFingerprints(handling, new SecretCipher(master, null, random), random);
}

const body = (cvv?: string) => ({
  payer: {
    payerId: 'payer-1',
    paymentMethod: {
      type: 'credit_card',
      card: {
        number: '4111111111111111',
        expiryMonth: '12',
        expiryYear: '2030',
        ...(cvv === undefined ? {} : { cvv }),
      },
    },
  },
  amount: { value: '10.00', currency: 'EUR' },
});

describe('RequestFingerprints', () => {
  let eventStore: MemoryEventStore;
  let fingerprints: RequestFingerprints;

  beforeEach(async () => {
    eventStore = new MemoryEventStore();
    fingerprints = process(eventStore, 1);
    await fingerprints.load();
  });

  const storedKeys = async () =>
    (await eventStore.readStream(DATA_KEYS_STREAM_ID)).map(({ data }) => JSON.parse(data) as DataKeyCreated['data']);

  it('create one data key, which every later start and every other process uses', async () => {
    const other = process(eventStore, 2);
    await other.load();
    await fingerprints.load();
    expect(await storedKeys()).toHaveLength(1);
    expect(other.identify('key', body())).toEqual(fingerprints.identify('key', body()));
  });

  it('agree on one data key when several processes start at once', async () => {
    const fresh = new MemoryEventStore();
    const clock = new ManualClock();
    const processes = [1, 2, 3, 4].map((seed) => process(fresh, seed, masterKey(1), clock));
    const loading = Promise.all(processes.map((each) => each.load()));
    await clock.advance(1_000);
    await loading;
    expect(await fresh.readStream(DATA_KEYS_STREAM_ID)).toHaveLength(1);
    const identities = processes.map((each) => each.identify('key', body()));
    for (const identity of identities) expect(identity).toEqual(identities[0]);
  });

  it('are the HMAC of the canonical body under the data key', async () => {
    const [stored] = await storedKeys();
    const cipher = new SecretCipher(masterKey(1), null, new SeededRandom());
    const key = cipher.decrypt(stored!.wrapped, `data-key:${stored!.keyId}`);
    const canonical = '{"a":[1,{"x":"é","y":null}],"b":true}';
    expect(fingerprints.identify('key-1', { b: true, a: [1, { y: null, x: 'é' }] })).toEqual({
      keyHash: hash('sha256', 'key-1', 'hex'),
      fingerprints: [
        {
          dataKeyId: stored!.keyId,
          keyHmac: createHmac('sha256', key).update('Idempotency-Key: key-1').digest('hex'),
          fingerprint: createHmac('sha256', key).update(canonical).digest('hex'),
        },
      ],
    });
    expect(stored!.keyId).toMatch(/^dk_[0-9A-HJKMNP-TV-Z]{26}$/);
  });

  it('do not depend on the order of fields, but on everything that the fields hold', () => {
    const { amount, payer } = body();
    const same = fingerprints.identify('key', { payer, amount: { currency: 'EUR', value: '10.00' } });
    expect(same).toEqual(fingerprints.identify('key', { amount, payer }));
    const other = fingerprints.identify('key', { payer, amount: { ...amount, value: '10.0' } });
    expect(other.fingerprints).not.toEqual(same.fingerprints);
    expect(other.keyHash).toBe(same.keyHash);
    expect(other.fingerprints[0].keyHmac).toBe(same.fingerprints[0].keyHmac);
  });

  it('tell the key by another HMAC in every installation, which nobody can try keys against', async () => {
    const other = process(new MemoryEventStore(), 3);
    await other.load();
    const [here, there] = [fingerprints, other].map((each) => each.identify('key', body()).fingerprints[0].keyHmac);
    expect(here).not.toBe(there);
    expect(here).not.toBe(fingerprints.identify('key-2', body()).fingerprints[0].keyHmac);
    expect(here).not.toBe(hash('sha256', 'key', 'hex'));
  });

  it('leave the CVV out, and the body as it was', () => {
    const sent = Object.freeze(body('123'));
    Object.freeze(sent.payer.paymentMethod.card);
    const identity = fingerprints.identify('key', sent);
    expect(identity).toEqual(fingerprints.identify('key', body('999')));
    expect(identity).toEqual(fingerprints.identify('key', body()));
    expect(sent).toEqual(body('123'));
  });

  it.each([
    { cvv: '1' },
    { payer: { cvv: '1' } },
    { payer: null },
    { payer: { paymentMethod: [] } },
    { payer: { paymentMethod: { card: 'cvv' } } },
  ])('keep everything else (%j)', (other) => {
    expect(fingerprints.identify('key', other).fingerprints).not.toEqual(fingerprints.identify('key', {}).fingerprints);
  });

  it('compare under older data keys too, the current one first', async () => {
    const cipher = new SecretCipher(masterKey(1), null, new SeededRandom(9));
    const [first] = await eventStore.readStream(DATA_KEYS_STREAM_ID);
    const data = JSON.stringify({ keyId: 'dk_2', wrapped: cipher.encrypt(masterKey(7), 'data-key:dk_2') });
    const before = fingerprints.identify('key', body()).fingerprints;
    const { hash, ...others } = JSON.parse(first!.metadata) as EventMetadata;
    const metadata = JSON.stringify({ ...others, previousHash: hash, hash: 'next' });
    const second = { ...first!, id: new SeededRandom(3).uuid(), data, metadata };
    await eventStore.append(DATA_KEYS_STREAM_ID, 0, [second]);
    await fingerprints.load();
    const after = fingerprints.identify('key', body()).fingerprints;
    expect(after.map(({ dataKeyId }) => dataKeyId)).toEqual(['dk_2', before[0].dataKeyId]);
    expect(after[1]).toEqual(before[0]);
  });

  it('stand wrapped in the log', async () => {
    const [stored] = await storedKeys();
    await expect(process(eventStore, 1, masterKey(2)).load()).rejects.toThrow(WrongMasterKeyError);
    expect(Object.keys(stored!.wrapped)).toEqual(['keyId', 'iv', 'ciphertext', 'tag']);
  });

  it('are read, and made, where somebody else has written among them; a newer release’s key is not passed over', async () => {
    await eventStore.append(DATA_KEYS_STREAM_ID, 0, [foreignEvent('f', { type: 'DataKeyCreated' })]);
    await fingerprints.load();
    const [first] = await eventStore.readStream(DATA_KEYS_STREAM_ID);
    const { hash } = JSON.parse(first!.metadata) as EventMetadata;
    const newer = ownEvent('n', 'DataKeyRetired', {}, { previousHash: hash });
    await eventStore.append(DATA_KEYS_STREAM_ID, 1, [newer]);
    await expect(fingerprints.load()).rejects.toMatchObject({ kind: 'NEWER', streamId: 'keys', revision: 2 });
    const polluted = new MemoryEventStore();
    await polluted.append(DATA_KEYS_STREAM_ID, 'no-stream', [foreignEvent('f')]);
    await process(polluted, 5).load();
    expect((await polluted.readStream(DATA_KEYS_STREAM_ID)).map(({ type }) => type)).toEqual([
      'OrderShipped',
      'DataKeyCreated',
    ]);
  });

  it('are not made before the keys were read', async () => {
    const early = process(eventStore, 1);
    expect(early.loaded).toBe(false);
    expect(() => early.identify('key', {})).toThrow(EventStoreUnavailableError);
    await early.load();
    expect(early.loaded).toBe(true);
  });
});
