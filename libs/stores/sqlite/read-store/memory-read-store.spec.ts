import { ReadStoreUnavailableError } from '@app/event-sourcing';
import { describeReadStoreContract } from '@app/stores/contracts/read-store.contract';
import { DECLARED, PROJECTION } from '@app/stores/contracts/read-store.fixture';
import { MemoryReadStore } from '@app/stores/testing/memory-read-store';

describeReadStoreContract('SqliteReadStore in memory', async () => {
  const store = new MemoryReadStore();
  return { store, dispose: () => store.close() };
});

it('each in-memory read store is private, and can be closed twice', async () => {
  const [one, other] = [new MemoryReadStore(), new MemoryReadStore()];
  await one.open(PROJECTION, { declaredVersion: DECLARED, head: null, nowMs: 1 });
  expect(await other.versions(PROJECTION)).toEqual({ active: null, building: null });
  await Promise.all([one.close(), one.close(), other.close()]);
  await expect(one.versions(PROJECTION)).rejects.toThrow(ReadStoreUnavailableError);
});
