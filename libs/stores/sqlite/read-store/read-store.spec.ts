import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeReadStoreContract } from '@app/stores/contracts/read-store.contract';
import { SqliteReadStore } from './sqlite-read-store';

describeReadStoreContract('SqliteReadStore', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'read-store-'));
  const onReplaced = (file: string, why: string): void => {
    throw new Error(`${file} was replaced: ${why}`);
  };
  const store = new SqliteReadStore({ dataDir, onReplaced });
  const dispose = async (): Promise<void> => {
    await store.close();
    await rm(dataDir, { recursive: true });
  };
  return { store, dispose };
});
