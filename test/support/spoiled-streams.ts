import { randomUUID } from 'node:crypto';
import { openStore } from '@app/stores/testing/eventstoredb/stores';
import { readLog } from './event-log';
import type { EventStoreProcess } from './event-store-process';

/** Appends a foreign event to each of these streams, which damages them. */
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

/** Damages the streams that hold the recorded responses of requests with an Idempotency-Key. */
export function spoilRecordedAnswers(eventStore: EventStoreProcess): Promise<void> {
  return spoilStreams(eventStore, (streamId) => streamId.startsWith('request-'));
}
