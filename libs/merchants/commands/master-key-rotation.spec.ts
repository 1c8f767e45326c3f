import { DATA_KEYS_STREAM_ID } from '@app/keys/domain';
import { merchantStreamId } from '@app/merchants/domain';
import { isoTime } from '@app/event-sourcing';
import { ManualClock } from '@app/platform/testing/manual-clock';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { RequestFingerprints, WrongMasterKeyError } from '@app/keys';
import { operator, startProcess } from '@app/merchants/testing/merchant-process';
import { MasterKeyRotation } from './master-key-rotation';
import { RegisterMerchantCommand } from './register-merchant';
import { signingSecretContext, webhookSecretContext } from './secret-contexts';

const body = { amount: '10.00' };

describe('MasterKeyRotation', () => {
  let eventStore: MemoryEventStore;
  let clock: ManualClock;
  beforeEach(() => {
    eventStore = new MemoryEventStore();
    clock = new ManualClock();
  });

  /** A process of the service with these master keys, after startup. */
  async function start(seed: number, current: number, previous?: number) {
    const keys = previous === undefined ? { current } : { current, previous };
    const here = startProcess(eventStore, seed, clock, keys);
    const { handling, cipher, keyRing, random, directory } = here;
    await keyRing.load();
    const fingerprints = new RequestFingerprints(keyRing);
    await directory.refresh();
    const rotation = new MasterKeyRotation(handling, cipher, clock, random, keyRing, directory);
    const register = async (merchantId: string) => {
      const command = new RegisterMerchantCommand(operator, { merchantId, name: 'Shop' });
      const result = await here.registerMerchant.execute(command);
      if (result.kind === 'refused') throw new Error(result.code);
      return result.value;
    };
    const rotateSigning = (merchantId: string, secret: string) =>
      here.decide(merchantId, {
        type: 'RotateSecret',
        which: 'signing',
        secret: cipher.encrypt(secret, signingSecretContext(merchantId)),
        now: isoTime(clock.nowMs()),
      });
    return { ...here, fingerprints, rotation, register, rotateSigning };
  }

  const typesOf = async (streamId: string) => (await eventStore.readStream(streamId)).map(({ type }) => type);
  const eventsInAll = async () =>
    (await eventStore.readAll({ after: null, filter: { streamPrefixes: [''] }, maxCount: 1_000 })).events.length;

  it('does nothing where no previous key is given', async () => {
    const { rotation, register } = await start(1, 1);
    await register('a');
    const before = await eventsInAll();
    expect(await rotation.finish()).toBeNull();
    expect(await eventsInAll()).toBe(before);
  });

  it('lets the previous key be removed, and the next one come, with everything opening as before', async () => {
    const first = await start(1, 1);
    const secrets = { a: await first.register('a'), b: await first.register('b') };
    await first.rotateSigning('a', 'cfs_next');
    const identity = first.fingerprints.identify('key', body);
    let seed = 1;
    for (const [current, previous] of [
      [2, 1],
      [3, 2],
    ] as const) {
      const rotating = await start((seed += 1), current, previous);
      // The keys before it; it adds two that replace those which prove something.
      const dataKeys = (await eventStore.readStream(DATA_KEYS_STREAM_ID)).filter(
        (e) => e.type === 'DataKeyCreated',
      ).length;
      expect(await rotating.rotation.finish()).toEqual({ merchants: 2, dataKeys, left: 0 });
      const alone = await start((seed += 1), current);
      expect(alone.directory.signingSecrets('a')).toEqual(['cfs_next', secrets.a.signingSecret]);
      expect(alone.directory.webhookSecrets('a')!.current).toBe(secrets.a.webhookSecret);
      expect(alone.directory.signingSecrets('b')).toEqual([secrets.b.signingSecret]);
      expect(alone.fingerprints.identify('key', body)).toEqual(identity);
    }
    await expect(start(9, 2)).rejects.toThrow(WrongMasterKeyError);
  });

  it('is done once, however often it is repeated', async () => {
    await (await start(1, 1)).register('a');
    await (await start(2, 2, 1)).rotation.finish();
    const before = await eventsInAll();
    const again = await start(3, 2, 1);
    expect(await again.rotation.finish()).toEqual({ merchants: 0, dataKeys: 0, left: 0 });
    expect(await eventsInAll()).toBe(before);
  });

  it('is done once by several processes that start together', async () => {
    const first = await start(1, 1);
    const { signingSecret } = await first.register('a');
    const processes = await Promise.all([2, 3, 4].map((seed) => start(seed, 2, 1)));
    const finishing = Promise.all(processes.map(({ rotation }) => rotation.finish()));
    await clock.advance(1_000);
    for (const outcome of await finishing) expect(outcome).toMatchObject({ left: 0 });
    const [created, rewrapped] = ['DataKeyCreated', 'DataKeyRewrapped'];
    const types = [created, created, created, created, created, rewrapped, rewrapped, rewrapped];
    expect(await typesOf(DATA_KEYS_STREAM_ID)).toEqual(types);
    const reencrypted = (await typesOf(merchantStreamId('a'))).filter((type) => type === 'MerchantSecretsResealed');
    expect(reencrypted).toHaveLength(1);
    expect((await start(5, 2)).directory.signingSecrets('a')).toEqual([signingSecret]);
  });

  it('says that it is not over while a process with the previous key rotates secrets', async () => {
    const old = await start(1, 1);
    await old.register('a');
    const rotating = await start(2, 2, 1);
    const refresh = rotating.directory.refresh.bind(rotating.directory);
    rotating.directory.refresh = async () => {
      const webhookSecret = old.cipher.encrypt('whsec_late', webhookSecretContext('a'));
      await old.decide('a', {
        type: 'RotateSecret',
        which: 'webhook',
        secret: webhookSecret,
        now: isoTime(clock.nowMs()),
      });
      return refresh();
    };
    expect(await rotating.rotation.finish()).toMatchObject({ merchants: 1, left: 1 });
    rotating.directory.refresh = refresh;
    expect(await rotating.rotation.finish()).toMatchObject({ merchants: 1, left: 0 });
    expect((await start(3, 2)).directory.webhookSecrets('a')!.current).toBe('whsec_late');
  });

  it('leaves the data keys for the end, so that no start goes on from half of it without the previous key', async () => {
    await (await start(1, 1)).register('a');
    const broken = await start(2, 2, 1);
    broken.keyRing.rotate = () => Promise.reject(new Error('killed'));
    await expect(broken.rotation.finish()).rejects.toThrow('killed');
    expect(await typesOf(merchantStreamId('a'))).toContain('MerchantSecretsResealed');
    await expect(start(3, 2)).rejects.toThrow(WrongMasterKeyError);
  });
});
