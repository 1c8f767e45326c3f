import { Clock } from '@app/event-sourcing/environment';

/** A clock whose deadlines fire only when the spec says so, however slow the machine is. */
export class ManualClock extends Clock {
  private readonly deadlines = new Set<AbortController>();

  constructor(private currentMs: number) {
    super();
  }

  get pendingDeadlines(): number {
    return this.deadlines.size;
  }

  override nowMs(): number {
    return this.currentMs;
  }

  override monotonicMs(): number {
    return this.currentMs;
  }

  override async sleep(ms: number): Promise<void> {
    this.currentMs += ms;
  }

  override deadline(_ms: number, ...others: AbortSignal[]): { readonly signal: AbortSignal; clear(): void } {
    const controller = new AbortController();
    this.deadlines.add(controller);
    return {
      signal: AbortSignal.any([controller.signal, ...others]),
      clear: () => this.deadlines.delete(controller),
    };
  }

  /** Advances the time and fires every deadline that is still set. */
  expire(ms: number): void {
    this.currentMs += ms;
    for (const controller of this.deadlines) controller.abort();
  }
}
