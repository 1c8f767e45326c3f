import { describeReadStoreContract } from '../contracts/read-store.contract';
import { MemoryReadStore } from './read-store';

describeReadStoreContract('MemoryReadStore', async () => {
  const store = new MemoryReadStore();
  return { store, dispose: () => store.close() };
});
