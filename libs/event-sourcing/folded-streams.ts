import type { Loaded } from './handle';

/** Shorter streams are read and folded so fast that they are not worth caching. */
const MIN_EVENTS = 64;
/** Bounds the memory: a payment with a hundred refunds takes about 100 KiB. */
const MAX_KEPT = 16;

/**
 * Caches the latest states of the few long streams in use, so that a thousand commands on one stream do not fold it
 * from the start each time. The caller reads on from the last event and checks by its hash that it is still the same
 * stream: a cached state may be old, but never wrong.
 */
export class FoldedStreams {
  /** Ordered by last use. */
  private readonly kept = new Map<string, { readonly decider: object; readonly loaded: Loaded<unknown> }>();

  /** @param decider the decider that folded it; another decider's state is never returned. */
  of<State>(decider: object, streamId: string): Loaded<State> | null {
    const found = this.kept.get(streamId);
    return found?.decider === decider ? (found.loaded as Loaded<State>) : null;
  }

  /** An older state may replace a newer one; that only costs a longer read next time. */
  keep(decider: object, streamId: string, loaded: Loaded<unknown>): void {
    if (loaded.last === null || loaded.last.revision + 1 < MIN_EVENTS) return;
    this.kept.delete(streamId);
    this.kept.set(streamId, { decider, loaded });
    const [oldest] = this.kept.keys();
    if (this.kept.size > MAX_KEPT && oldest !== undefined) this.kept.delete(oldest);
  }

  forget(streamId: string): void {
    this.kept.delete(streamId);
  }
}
