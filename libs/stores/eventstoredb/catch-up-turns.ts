import type { Clock } from '@app/event-sourcing';

/** After this time, in ms, the next catch-up may start even if this one runs on. */
const TURN_MS = 1_000;

/**
 * Starts catch-ups one after another: a filtered one occupies one of the server's few readers, which commands need too.
 * Short ones never overlap, and long ones at a process start begin one by one.
 */
export class CatchUpTurns {
  private lastEnds: Promise<unknown> = Promise.resolve();

  constructor(private readonly clock: Clock) {}

  /** Resolves when the catch-up may start or `signal` is aborted, with a function to call once it has ended. */
  async take(signal: AbortSignal): Promise<() => void> {
    const over = new AbortController();
    const end = () => over.abort();
    const before = this.lastEnds;
    this.lastEnds = before.then(() => this.clock.sleep(TURN_MS, over.signal));
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    await Promise.race([before, aborted(over.signal)]);
    return () => {
      signal.removeEventListener('abort', end);
      end();
    };
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
