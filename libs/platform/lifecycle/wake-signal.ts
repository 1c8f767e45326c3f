import { assert, type Clock } from '@app/event-sourcing';

/** A constant reason: otherwise each abort would create an exception with a stack. */
const WOKEN = 'woken';

/**
 * Lets one loop wait for its next pass, and others wake it early when there is work. A wake during a pass ends the next
 * wait, so that no work is left until the full wait has passed.
 */
export class WakeSignal {
  #woken = false;
  #waiting: AbortController | null = null;

  constructor(private readonly clock: Clock) {}

  wake(): void {
    this.#woken = true;
    this.#waiting?.abort(WOKEN);
  }

  /** Resolves after `ms`, at a wake, or when `signal` is aborted, without an error. For one loop at a time. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    assert(this.#waiting === null, 'one loop only may wait on a wake signal');
    if (!this.#woken && !signal.aborted) {
      const waiting = new AbortController();
      const stop = (): void => waiting.abort(WOKEN);
      signal.addEventListener('abort', stop, { once: true });
      this.#waiting = waiting;
      await this.clock.sleep(ms, waiting.signal);
      this.#waiting = null;
      signal.removeEventListener('abort', stop);
    }
    this.#woken = false;
  }
}
