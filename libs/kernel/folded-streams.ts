import type { Loaded } from './handle';

/** Shorter streams are read and folded again in less time than keeping them is worth. */
const MIN_EVENTS = 64;
/** A payment with a hundred refunds keeps about 100 KiB alive. */
const MAX_KEPT = 16;

/**
 * The latest states of the few long streams that are in use, so that a thousand commands on one stream don't fold it a thousand
 * times from its beginning. Whoever takes one reads on from its last event, and sees by that event's hash whether it is
 * still the same stream: what is kept may be old, and is never wrong.
 */
export class FoldedStreams {
  /** In the order of last use. */
  private readonly kept = new Map<string, { readonly decider: object; readonly loaded: Loaded<unknown> }>();

  /** @param decider what folded it: another one's state is never taken for its own. */
  of<State>(decider: object, streamId: string): Loaded<State> | null {
    const found = this.kept.get(streamId);
    return found?.decider === decider ? (found.loaded as Loaded<State>) : null;
  }

  /** An older state than the one kept takes its place, too, and costs a longer read the next time. */
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
