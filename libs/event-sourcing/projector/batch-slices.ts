import type { EventBatch } from '../event-store';

/** Events in the first slice, and the most in any. */
const FIRST_SLICE = 32;
const MAX_SLICE = 256;

/** The target size of the documents of one slice, in characters. */
export const SLICE_SIZE = 512 * 1024;

/**
 * Splits batches, so that their documents are never in memory all at once: a thousand small events may change a
 * thousand large documents. Sizes are unknown until the documents are read, so the last slice determines the next one's
 * length.
 */
export class BatchSlices {
  private length = FIRST_SLICE;

  *of(batch: EventBatch): Generator<EventBatch, void, undefined> {
    const { events } = batch;
    let from = 0;
    for (; from + this.length < events.length;) {
      const slice = events.slice(from, from + this.length);
      from += slice.length;
      yield { events: slice, position: slice.at(-1)?.position ?? null, caughtUp: false };
    }
    yield from === 0 ? batch : { ...batch, events: events.slice(from) };
  }

  /** @param size of the documents that were read and written for a slice of `events` events, in characters. */
  measured(events: number, size: number): void {
    if (size > SLICE_SIZE) this.length = Math.max(1, Math.floor((Math.min(events, this.length) * SLICE_SIZE) / size));
    else if (events >= this.length && size <= SLICE_SIZE / 2) this.length = Math.min(MAX_SLICE, 2 * this.length);
  }
}
