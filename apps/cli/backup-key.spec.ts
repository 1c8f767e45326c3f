import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KeyRing, SecretCipher } from '@app/keys';
import { DATA_KEYS_STREAM_ID } from '@app/keys/domain';
import { type EventMetadata } from '@app/event-sourcing';
import { ownEvent } from '@app/event-sourcing/testing/recorded-events';
import { SystemClock, SystemRandom } from '@app/platform/lifecycle/system-environment';
import { EmbeddedEventStore } from '@app/stores/sqlite';
import { temporaryDirectory } from '@app/stores/testing/event-log/spec-log';
import { judgeMasterKey } from './backup-key';

const clock = new SystemClock();
const random = new SystemRandom();
const masterKey = (fill: number) => new Uint8Array(32).fill(fill);

describe('the master key of a backup', () => {
  let temporary: ReturnType<typeof temporaryDirectory>;
  beforeEach(() => {
    temporary = temporaryDirectory();
  });
  afterEach(() => temporary.remove());

  const judge = () => judgeMasterKey(temporary.directory, temporary.directory);
  const keep = (text: string) => writeFileSync(join(temporary.directory, 'master.key'), `${text}\n`);
  const keepKey = (fill: number) => keep(Buffer.from(masterKey(fill)).toString('base64'));

  async function withLog(work: (eventStore: EmbeddedEventStore) => Promise<unknown>): Promise<void> {
    const eventStore = EmbeddedEventStore.open({ directory: temporary.directory, clock });
    await work(eventStore);
    await eventStore.close();
  }

  /** A log as first created by a service with this master key. */
  const withDataKey = (fill: number) =>
    withLog((eventStore) => {
      const cipher = new SecretCipher(masterKey(fill), null, random);
      return new KeyRing({ eventStore, cipher, clock, random }).load();
    });

  it('goes along where it opens the log', async () => {
    await withDataKey(1);
    keepKey(1);
    expect(await judge()).toEqual({ isCopied: true, warning: null });
  });

  it('is left out where there is none', async () => {
    await withDataKey(1);
    expect(await judge()).toEqual({ isCopied: false, warning: null });
  });

  it('goes along with a log in which nothing is encrypted yet', async () => {
    await withLog(() => Promise.resolve());
    keepKey(1);
    expect(await judge()).toEqual({ isCopied: true, warning: null });
  });

  it.each([Buffer.from(masterKey(2)).toString('base64'), 'no key'])('is left out where it is %j', async (text) => {
    await withDataKey(1);
    keep(text);
    expect(await judge()).toEqual({
      isCopied: false,
      warning: expect.stringContaining('does not open this log, and was left out'),
    });
  });

  it('goes along where it opens a part, with a warning', async () => {
    await withDataKey(1);
    await withLog(async (eventStore) => {
      const last = (await eventStore.readStream(DATA_KEYS_STREAM_ID)).at(-1);
      const encrypted = new SecretCipher(masterKey(2), null, random).encrypt(masterKey(9), 'data-key:dk_2');
      const data = JSON.stringify({ keyId: 'dk_2', purpose: 'SEALS', wrapped: encrypted });
      const before = JSON.parse(last!.metadata) as EventMetadata;
      const metadata = JSON.stringify({ ...before, previousHash: before.hash });
      await eventStore.append(DATA_KEYS_STREAM_ID, 2, [{ ...last!, id: random.uuid(), data, metadata }]);
    });
    keepKey(2);
    expect(await judge()).toEqual({ isCopied: true, warning: expect.stringContaining('opens a part of this log') });
  });

  it('goes along where the log does not tell, with a warning', async () => {
    await withLog((eventStore) =>
      eventStore.append(DATA_KEYS_STREAM_ID, 'no-stream', [ownEvent(random.uuid(), 'Unheard')]),
    );
    keepKey(1);
    expect(await judge()).toEqual({
      isCopied: true,
      warning: expect.stringMatching(/could not be found out: .*Unheard/),
    });
  });
});
