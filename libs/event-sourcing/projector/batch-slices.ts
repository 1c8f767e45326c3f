import type { EventBatch } from '../event-store';

/** Events of one part at first, and at most. */
const FIRST_SLICE = 32;
const MAX_SLICE = 256;

/** So large the documents of one part should be together, in characters. */
export const SLICE_SIZE = 512 * 1024;

/**
 * Divides batches, so that the documents of their events, of which a thousand small ones may concern a thousand large documents,
 * are never in memory all at once. How large they are isn't known before they are read: the last part's tell how many events
 * the next one may have.
 */
export class BatchSlices {
  private length = FIRST_SLICE;

  *of(batch: EventBatch): Generator<EventBatch, void, undefined> {
    const { events } = batch;
    let from = 0;
    for (; from + this.length < events.length;) {
      const part = events.slice(from, from + this.length);
      from += part.length;
      yield { events: part, position: part.at(-1)?.position ?? null, caughtUp: false };
    }
    yield from === 0 ? batch : { ...batch, events: events.slice(from) };
  }

  /** @param size of the documents that a part has read and written, in characters. */
  measured(events: number, size: number): void {
    if (size > SLICE_SIZE) this.length = Math.max(1, Math.floor((Math.min(events, this.length) * SLICE_SIZE) / size));
    else if (events >= this.length && size <= SLICE_SIZE / 2) this.length = Math.min(MAX_SLICE, 2 * this.length);
  }
}
