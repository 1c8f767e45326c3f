import { setImmediate as nextTurn } from 'node:timers/promises';
import { Clock } from '@app/event-sourcing';
import { linkedDeadline } from '@app/platform/lifecycle/system-environment';

interface Timer {
  readonly dueMs: number;
  readonly fire: () => void;
}

/**
 * A clock that jumps over any stretch of time at once, as on a machine that was suspended: whatever became due in
 * between happens at its end, in order. So a week costs no more than a second, and every lease and deadline in it is
 * missed.
 */
export class LeapingClock extends Clock {
  #nowMs: number;
  /** How far the wall clock was set ahead or back. */
  #steppedMs = 0;
  #latestMs: number;
  readonly #timers = new Set<Timer>();

  constructor(startMs: number) {
    super();
    this.#nowMs = startMs;
    this.#latestMs = startMs;
  }

  override nowMs(): number {
    return this.#nowMs + this.#steppedMs;
  }

  override monotonicMs(): number {
    return this.#nowMs;
  }

  /** The latest time that it has ever shown. */
  get latestMs(): number {
    return this.#latestMs;
  }

  /** Sets the wall clock, without any time passing, to this offset from its original course. */
  setOff(ms: number): void {
    this.#steppedMs = ms;
    this.#latestMs = Math.max(this.#latestMs, this.nowMs());
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.resolve();
    // Yielding takes no time.
    if (ms === 0) return nextTurn();
    return new Promise((resolve) => {
      const finish = (): void => {
        cancel();
        signal?.removeEventListener('abort', finish);
        resolve();
      };
      const cancel = this.#start(ms, finish);
      signal?.addEventListener('abort', finish, { once: true });
    });
  }

  override deadline(
    ms: number,
    ...others: AbortSignal[]
  ): { readonly signal: AbortSignal; readonly clear: () => void } {
    return linkedDeadline((fire) => this.#start(ms, fire), others);
  }

  /** Advances the time, and fires what has become due. */
  leap(ms: number): void {
    this.#nowMs += ms;
    this.#latestMs = Math.max(this.#latestMs, this.nowMs());
    const due = [...this.#timers]
      .filter(({ dueMs }) => dueMs <= this.#nowMs)
      .sort((one, other) => one.dueMs - other.dueMs);
    for (const timer of due) if (this.#timers.delete(timer)) timer.fire();
  }

  #start(ms: number, fire: () => void): () => void {
    const timer = { dueMs: this.#nowMs + Math.max(0, ms), fire };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }
}
