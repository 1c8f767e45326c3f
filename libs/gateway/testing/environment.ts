import { createHash } from 'node:crypto';

import { Clock, Random } from '@app/event-sourcing';

/** A clock that only moves when told to. */
export class ManualClock extends Clock {
  private readonly sleepers = new Set<{ readonly untilMs: number; readonly wake: () => void }>();

  constructor(private currentMs = Date.UTC(2026, 0, 15, 12)) {
    super();
  }

  override nowMs(): number {
    return this.currentMs;
  }

  override monotonicMs(): number {
    return this.currentMs;
  }

  /** Advances time by `ms` and wakes all sleepers that are due. */
  advance(ms: number): void {
    this.currentMs += ms;
    for (const sleeper of this.sleepers) {
      if (sleeper.untilMs > this.currentMs) continue;
      this.sleepers.delete(sleeper);
      sleeper.wake();
    }
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const sleeper = { untilMs: this.currentMs + ms, wake: resolve };
      this.sleepers.add(sleeper);
      signal?.addEventListener('abort', () => {
        this.sleepers.delete(sleeper);
        resolve();
      });
    });
  }

  override deadline(ms: number, ...others: AbortSignal[]): { readonly signal: AbortSignal; clear(): void } {
    const over = new AbortController();
    const cleared = new AbortController();
    void this.sleep(ms, cleared.signal).then(() => {
      if (!cleared.signal.aborted) over.abort();
    });
    return {
      signal: AbortSignal.any([over.signal, ...others]),
      clear: () => {
        cleared.abort();
      },
    };
  }
}

/** Returns the same values in every run, and never the same value twice. */
export class CountingRandom extends Random {
  private count = 0;

  override bytes(length: number): Uint8Array {
    this.count += 1;
    return createHash('shake256', { outputLength: length }).update(String(this.count)).digest();
  }

  override uuid(): string {
    this.count += 1;
    return `00000000-0000-4000-8000-${String(this.count).padStart(12, '0')}`;
  }

  override fraction(): number {
    return 0.5;
  }
}
