import type { Clock } from '@app/kernel';

/** A catch-up that takes longer lets the next one begin beside it. */
const TURN_MS = 1_000;

/**
 * Catch-ups begin one after another: each filtered one holds one of the server's few readers while it looks for what matches,
 * and commands wait for the same readers. Short ones never meet, and long ones of a process that starts come one by one.
 */
export class CatchUpTurns {
  private lastEnds: Promise<unknown> = Promise.resolve();

  constructor(private readonly clock: Clock) {}

  /** Resolves when it may begin, or `signal` is aborted; whoever calls what it resolves to has caught up, or given up. */
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
