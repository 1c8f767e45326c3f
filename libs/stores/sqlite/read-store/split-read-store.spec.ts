import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReadStore } from '@app/event-sourcing';
import { describeReadStoreContract } from '@app/stores/contracts/read-store.contract';
import { READ_STORE_WRITES, type ReadStoreWriter, SplitReadStore } from './split-read-store';
import { SqliteReadStore } from './sqlite-read-store';

/** Writes through a second connection in a later turn of the event loop, like another thread. */
function writingThrough(store: SqliteReadStore): ReadStoreWriter {
  const call = async (method: keyof ReadStore, ...args: never[]) => {
    expect(READ_STORE_WRITES).toContain(method);
    const result: unknown = await (store[method] as (...given: never[]) => Promise<unknown>)(...structuredClone(args));
    await new Promise((resolve) => setImmediate(resolve));
    return structuredClone(result);
  };
  return { call } as unknown as ReadStoreWriter;
}

describeReadStoreContract('SplitReadStore', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'split-read-store-'));
  const onReplaced = (file: string, why: string): void => {
    throw new Error(`${file} was replaced: ${why}`);
  };
  const [reader, writer] = [1, 2].map(() => new SqliteReadStore({ dataDir, onReplaced }));
  const store = new SplitReadStore(reader!, writingThrough(writer!));
  const dispose = async (): Promise<void> => {
    await Promise.all([store.close(), writer!.close()]);
    await rm(dataDir, { recursive: true });
  };
  return { store, dispose };
});
