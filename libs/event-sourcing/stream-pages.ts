import type { Clock } from './environment';
import type { RecordedEvent } from './event';
import type { EventStore } from './event-store';

/** Events per read: few enough not to block the thread for long, and enough for most streams. */
const PAGE_EVENTS = 250;

/** A stream's events in pages, up to revision `last` or its end. Yields to other work between pages. */
export async function* streamPages(
  { eventStore, clock }: { readonly eventStore: Pick<EventStore, 'readStream'>; readonly clock: Clock },
  streamId: string,
  last = Infinity,
): AsyncIterable<readonly RecordedEvent[]> {
  for (let from = 0; from <= last; from += PAGE_EVENTS) {
    if (from > 0) await clock.sleep(0);
    const wanted = Math.min(PAGE_EVENTS, last - from + 1);
    const page = await eventStore.readStream(streamId, { from, maxCount: wanted });
    if (page.length > 0) yield page;
    if (page.length < wanted) return;
  }
}
