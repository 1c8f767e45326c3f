import { createHmac, hash } from 'node:crypto';
import { DATA_KEYS_STREAM_ID, type DataKeyCreated } from '@app/keys/domain';
import { ManualClock } from '@app/platform/testing/manual-clock';
import { SeededRandom } from '@app/platform/testing/seeded-random';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { KeyRing, RequestFingerprints, SecretCipher } from './';

const masterKey = new Uint8Array(32).fill(1);

/** The fingerprints of one of several processes on the same log. */
async function process(eventStore: MemoryEventStore, seed: number) {
  const random = new SeededRandom(seed);
  const cipher = new SecretCipher(masterKey, null, random);
  const keyRing = new KeyRing({ eventStore, cipher, clock: new ManualClock(), random });
  await keyRing.load();
  return new RequestFingerprints(keyRing);
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
    fingerprints = await process(eventStore, 1);
  });

  const storedKey = async () => {
    const events = await eventStore.readStream(DATA_KEYS_STREAM_ID);
    const keys = events.map(({ data }) => JSON.parse(data) as DataKeyCreated['data']);
    return keys.find(({ purpose }) => purpose === 'FINGERPRINTS')!;
  };

  it('are the HMAC of the canonical body under the data key', async () => {
    const stored = await storedKey();
    const cipher = new SecretCipher(masterKey, null, new SeededRandom());
    const key = cipher.decrypt(stored.wrapped, `data-key:${stored.keyId}`);
    const canonical = '{"a":[1,{"x":"é","y":null}],"b":true}';
    expect(fingerprints.identify('key-1', { b: true, a: [1, { y: null, x: 'é' }] })).toEqual({
      keyHash: hash('sha256', 'key-1', 'hex'),
      fingerprints: [
        {
          dataKeyId: stored.keyId,
          keyHmac: createHmac('sha256', key).update('Idempotency-Key: key-1').digest('hex'),
          fingerprint: createHmac('sha256', key).update(canonical).digest('hex'),
        },
      ],
    });
    expect(stored.keyId).toMatch(/^dk_[0-9A-HJKMNP-TV-Z]{26}$/);
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
    const other = await process(new MemoryEventStore(), 3);
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
});
