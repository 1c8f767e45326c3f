import { randomUUID } from 'node:crypto';
import { openStore } from '@app/stores/testing/eventstoredb/stores';
import { readLog } from './event-log';
import type { EventStoreProcess } from './event-store-process';

/** Appends to each of these streams what this service did not write: they are not believed any more. */
export async function spoilStreams({ url, dataDir }: EventStoreProcess, isMeant: (streamId: string) => boolean) {
  const lengths = new Map((await readLog(dataDir)).map(({ streamId, revision }) => [streamId, revision]));
  const meant = [...lengths].filter(([streamId]) => isMeant(streamId));
  if (meant.length === 0) throw new Error('There is no such stream');
  const store = openStore(url);
  try {
    for (const [streamId, revision] of meant) {
      await store.append(streamId, revision, [{ id: randomUUID(), type: 'OrderShipped', data: '{}', metadata: '' }]);
    }
  } finally {
    await store.close();
  }
}

/** The streams that hold what requests with an Idempotency-Key were answered. */
export function spoilRecordedAnswers(eventStore: EventStoreProcess): Promise<void> {
  return spoilStreams(eventStore, (streamId) => streamId.startsWith('request-'));
}
