import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreUnavailableError } from '@app/event-sourcing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { ensureSandboxMerchant, SandboxFileError } from './sandbox-merchant';
import { startProcess } from '@app/merchants/testing/merchant-process';

describe('the sandbox merchant', () => {
  let root: string;
  let dataDir: string;
  let file: string;
  let eventStore: MemoryEventStore;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'counterfoil-sandbox-'));
    dataDir = join(root, 'data');
    file = join(dataDir, 'sandbox.json');
    eventStore = new MemoryEventStore();
  });

  afterEach(() => rmSync(root, { recursive: true, force: true }));

  /** Another start of the service on the same log and directory. */
  async function start(seed: number, log = eventStore) {
    const process = startProcess(log, seed);
    return { ...(await ensureSandboxMerchant(process, dataDir)), directory: process.directory };
  }

  it('is registered at the first start, with its credentials in a private file', async () => {
    const { credentials, created, directory } = await start(1);
    expect(created).toBe(true);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(credentials);
    expect(Object.keys(credentials)).toEqual(['merchantId', 'accessToken', 'signingSecret', 'webhookSecret']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    expect(readdirSync(dataDir)).toEqual(['sandbox.json']);
    expect(directory.authenticate(credentials.accessToken)).toMatchObject({ merchantId: credentials.merchantId });
  });

  it('stays the same at every later start', async () => {
    const first = await start(1);
    const second = await start(2);
    expect(second.created).toBe(false);
    expect(second.credentials).toEqual(first.credentials);
    expect(second.directory.authenticate(first.credentials.accessToken)).not.toBeNull();
    expect(await eventStore.readStream(`merchant-${first.credentials.merchantId}`)).toHaveLength(2);
  });

  it('is one for all processes that start at the same time, and shown by one of them', async () => {
    const all = await Promise.all([1, 2, 3, 4, 5, 6].map((seed) => start(seed)));
    const kept = JSON.parse(readFileSync(file, 'utf8')) as unknown;
    for (const { credentials, directory } of all) {
      expect(credentials).toEqual(kept);
      expect(directory.authenticate(credentials.accessToken)).not.toBeNull();
    }
    expect(all.filter(({ created }) => created)).toHaveLength(1);
    expect(readdirSync(dataDir)).toEqual(['sandbox.json']);
    expect(await eventStore.readStream(`merchant-${all[0]!.credentials.merchantId}`)).toHaveLength(2);
  });

  it('is registered by the next start when the first one died before it could', async () => {
    const append = jest.spyOn(eventStore, 'append').mockRejectedValueOnce(new EventStoreUnavailableError('away'));
    await expect(start(1)).rejects.toThrow(EventStoreUnavailableError);
    append.mockRestore();
    const { credentials, created, directory } = await start(2);
    expect(created).toBe(true);
    expect(directory.signingSecrets(credentials.merchantId)).toEqual([credentials.signingSecret]);
  });

  it('is the same on another log', async () => {
    const first = await start(1);
    const second = await start(2, new MemoryEventStore());
    expect(second).toMatchObject({ created: true, credentials: first.credentials });
  });

  it('is a new one when the file is gone, and the old one stays', async () => {
    const first = await start(1);
    rmSync(file);
    const second = await start(2);
    expect(second.created).toBe(true);
    expect(second.credentials.merchantId).not.toBe(first.credentials.merchantId);
    expect(second.directory.authenticate(first.credentials.accessToken)).not.toBeNull();
  });

  it.each(['', '{', 'null', '[]', '{"merchantId":"a"}', '{"merchantId":1,"accessToken":1,"signingSecret":1}'])(
    'does not come from a file that holds %j',
    async (text) => {
      await start(1);
      writeFileSync(file, text);
      await expect(start(2)).rejects.toThrow(SandboxFileError);
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );

  it('does not take a merchant over whose token it does not have', async () => {
    const { credentials } = await start(1);
    writeFileSync(file, JSON.stringify({ ...credentials, accessToken: 'cft_other' }));
    await expect(start(2)).rejects.toThrow(SandboxFileError);
    await expect(start(2)).rejects.not.toThrow('cft_other');
  });
});
