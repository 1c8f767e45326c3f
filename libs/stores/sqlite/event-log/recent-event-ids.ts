import type { DatabaseSync } from 'node:sqlite';
import type { StoredPlace } from './append-rules';
import { uuidFromBytes } from './log-event';

/**
 * About 10 MB when full. EventStoreDB limits the same cache to 8 MiB and loses it on a restart; this one is read back.
 */
const MAX_REMEMBERED = 32_768;

/**
 * The places of the log's latest events by stream and id, to recognise a repeated append without an expected revision.
 * An older repeat is written again; an expected revision prevents that.
 */
export class RecentEventIds {
  private readonly places = new Map<string, StoredPlace>();

  static read(database: DatabaseSync): RecentEventIds {
    const recent = new RecentEventIds();
    const rows = database
      .prepare('SELECT stream_id, id, revision, position FROM events ORDER BY position DESC LIMIT ?')
      .all(MAX_REMEMBERED) as unknown as [bigint, Uint8Array, bigint, bigint][];
    for (const [streamId, id, revision, position] of rows.reverse()) {
      recent.add(streamId, { id: uuidFromBytes(id), revision, position });
    }
    return recent;
  }

  find(streamId: bigint, id: string): StoredPlace | undefined {
    return this.places.get(`${streamId}:${id}`);
  }

  add(streamId: bigint, place: StoredPlace): void {
    const key = `${streamId}:${place.id}`;
    this.places.delete(key);
    this.places.set(key, place);
    if (this.places.size > MAX_REMEMBERED) this.places.delete(this.places.keys().next().value ?? key);
  }
}
