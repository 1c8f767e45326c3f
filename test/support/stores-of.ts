import { endEventStoreOf, eventStoreOf } from './event-store-of';
import { endRedisOf, redisOf } from './redis-of';

/** Whether the suite runs with each role as a process of its own. */
export const isDistributed = process.env['TEST_ROLES'] === 'separate';

/** How services on this folder reach their stores, as variables for their processes; nothing where they use the embedded ones. */
export async function storesOf(
  dataDir: string,
  given: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const eventStore = 'EVENTSTORE_URL' in given ? null : await eventStoreOf(dataDir);
  if (!isDistributed || 'REDIS_URL' in given) return { ...eventStore };
  // So that merchants of several partitions are dealt with all the time.
  return { ...eventStore, REDIS_URL: (await redisOf(dataDir)).url, PROJECTION_PARTITIONS: '4' };
}

/** @throws an Error when the event store has logged one. */
export async function endStoresOf(dataDir: string): Promise<void> {
  await endRedisOf(dataDir);
  await endEventStoreOf(dataDir);
}
