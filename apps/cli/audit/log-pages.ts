import { SEALS_STREAM_ID } from '@app/audit/domain';
import { SEALED_PREFIXES } from '@app/audit/own-streams';
import type { EventBatch, EventStore } from '@app/event-sourcing';
import { FollowedEventStore } from '@app/stores/sqlite';

const PAGE_EVENTS = 2_000;
/** Before all positions, also those that the service never gives. */
const BEFORE_ALL = -(2n ** 63n);

/** Whether the log is a folder, where positions have no gaps. */
export function isFolder(store: EventStore): boolean {
  return store instanceof FollowedEventStore;
}

/**
 * The log from a position to the end that it has now. All of a folder is read, so that every position is seen; in an
 * EventStoreDB others may have streams of their own.
 */
export async function* logPages(store: EventStore, after: bigint | null): AsyncGenerator<EventBatch, void, undefined> {
  const isWhole = isFolder(store);
  const filter = { streamPrefixes: isWhole ? [''] : [...SEALED_PREFIXES, SEALS_STREAM_ID] };
  const head = await store.head();
  let position = after ?? (isWhole ? BEFORE_ALL : null);
  for (;;) {
    const page = await store.readAll({ after: position, filter, maxCount: PAGE_EVENTS });
    const isEnd = page.caughtUp || (page.position ?? 0n) >= (head ?? 0n);
    yield {
      ...page,
      events: page.events.filter((event) => isWhole || event.position <= (head ?? 0n)),
      caughtUp: isEnd,
    };
    if (isEnd) return;
    ({ position } = page);
  }
}
