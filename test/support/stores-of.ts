import { endEventStoreOf, eventStoreOf } from './event-store-of';
import { endRedisOf, redisOf } from './redis-of';

/** Whether the suite runs with each role in a separate process. */
export const isDistributed = process.env['TEST_ROLES'] === 'separate';

/** How services on this folder reach their stores, as environment variables; empty if they use the embedded ones. */
export async function storesOf(
  dataDir: string,
  given: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const eventStore = 'EVENTSTORE_URL' in given ? null : await eventStoreOf(dataDir);
  if (!isDistributed || 'REDIS_URL' in given) return { ...eventStore };
  // Several partitions, so that merchants are always spread over more than one.
  return { ...eventStore, REDIS_URL: (await redisOf(dataDir)).url, PROJECTION_PARTITIONS: '4' };
}

/** @throws an Error if the event store has logged an error. */
export async function endStoresOf(dataDir: string): Promise<void> {
  await endRedisOf(dataDir);
  await endEventStoreOf(dataDir);
}
