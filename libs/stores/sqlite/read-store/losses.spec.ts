import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReadStoreUnavailableError } from '@app/event-sourcing';
import { DECLARED, PROJECTION } from '@app/stores/contracts/read-store.fixture';
import { SqliteReadStore } from './sqlite-read-store';

let dataDir: string;
const opened: SqliteReadStore[] = [];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'read-store-'));
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
  await rm(dataDir, { recursive: true });
});

function openStore(): SqliteReadStore {
  const store = new SqliteReadStore({ dataDir, onReplaced: () => undefined });
  opened.push(store);
  return store;
}

describe('a removed file', () => {
  it('is reported to listeners before the operation that noticed it fails', async () => {
    const [store, other] = [openStore(), openStore()];
    await store.open(PROJECTION, { declaredVersion: DECLARED, head: null, nowMs: 1 });
    const file = join(dataDir, 'read-models.sqlite');
    let losses = 0;
    const stopListening = store.onLost(() => (losses += 1));
    rmSync(file);
    // A read is enough to notice it, though the removed file could still be read.
    const asked = store.versions(PROJECTION);
    expect(losses).toBe(1);
    await expect(asked).rejects.toThrow(ReadStoreUnavailableError);
    expect((await store.versions(PROJECTION)).active).toBeNull();
    await expect(other.versions(PROJECTION)).rejects.toThrow(ReadStoreUnavailableError);
    expect(losses).toBe(1);

    stopListening();
    rmSync(file);
    await expect(store.versions(PROJECTION)).rejects.toThrow(ReadStoreUnavailableError);
    expect(losses).toBe(1);
  });
});
