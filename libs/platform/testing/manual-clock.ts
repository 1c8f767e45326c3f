import { Clock } from '@app/event-sourcing';

import { linkedDeadline } from '@app/platform/lifecycle/system-environment';

/** A woken loop may need a few turns (a group commit takes one) before it sleeps again. */
const TURNS_TO_SETTLE = 4;

interface Timer {
  readonly dueMs: number;
  readonly fire: () => void;
}

/** A clock that only moves when a spec moves it. */
export class ManualClock extends Clock {
  #nowMs: number;
  /** How far the wall clock was set forward or back. */
  #steppedMs = 0;
  readonly #timers = new Set<Timer>();

  constructor(startMs = Date.UTC(2030, 0, 1)) {
    super();
    this.#nowMs = startMs;
  }

  override nowMs(): number {
    return this.#nowMs + this.#steppedMs;
  }

  override monotonicMs(): number {
    return this.#nowMs;
  }

  /** Sets the wall clock forward or back without any time passing. */
  step(ms: number): void {
    this.#steppedMs += ms;
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
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

  override deadline(ms: number, ...others: AbortSignal[]): { readonly signal: AbortSignal; clear(): void } {
    return linkedDeadline((fire) => this.#start(ms, fire), others);
  }

  /** The number of pending sleeps and deadlines. */
  get pending(): number {
    return this.#timers.size;
  }

  /** When the next sleep or deadline is due; null if none is pending. */
  get nextDueMs(): number | null {
    return this.#next()?.dueMs ?? null;
  }

  /**
   * Advances time by `ms`. Everything that becomes due meanwhile, including what starts meanwhile, happens in order and
   * at its own time. After each, the event loop runs a few turns before time advances.
   */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    await settle();
    for (let next = this.#next(); next !== null && next.dueMs <= untilMs; next = this.#next()) {
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      this.#timers.delete(next);
      next.fire();
      await settle();
    }
    this.#nowMs = untilMs;
  }

  /** The earliest timer; if several are due at the same time, the one that started first. */
  #next(): Timer | null {
    let next: Timer | null = null;
    for (const timer of this.#timers) if (next === null || timer.dueMs < next.dueMs) next = timer;
    return next;
  }

  #start(ms: number, fire: () => void): () => void {
    const timer = { dueMs: this.#nowMs + Math.max(0, ms), fire };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }
}

/** Lets everything that is ready run. */
export async function settle(turns = TURNS_TO_SETTLE): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}
