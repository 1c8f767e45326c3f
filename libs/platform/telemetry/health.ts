import { assert } from '@app/event-sourcing';

export interface ReadinessCheck {
  readonly name: string;
  /**
   * Null when ready, else why not, in words that anybody may read. Answers at once, from what is known: probes come every
   * second, and one that asked a dependency would hang when the dependency does.
   */
  check(): string | null;
  /** True where the process can do without for a while: the reason is told, and it stays ready. */
  readonly tolerable?: boolean;
}

export interface Readiness {
  readonly ready: boolean;
  /** Why it isn't ready; where it is, what it has to do without. */
  readonly reasons: readonly { readonly name: string; readonly reason: string }[];
}

/** What has to be well before traffic may come. */
export class HealthRegistry {
  readonly #checks = new Map<string, ReadinessCheck>();
  #stopping = false;

  register(check: ReadinessCheck): void {
    assert(!this.#checks.has(check.name), `two readiness checks are named ${check.name}`);
    this.#checks.set(check.name, check);
  }

  /** From now on not ready, so that a load balancer sends nothing new while the process drains. */
  beginStopping(): void {
    this.#stopping = true;
  }

  readiness(): Readiness {
    let ready = !this.#stopping;
    const reasons = [...this.#checks.values()].flatMap((check) => {
      const reason = reasonOf(check);
      if (reason === null) return [];
      ready &&= check.tolerable === true;
      return [{ name: check.name, reason }];
    });
    if (this.#stopping) reasons.unshift({ name: 'process', reason: 'stopping' });
    return { ready, reasons };
  }
}

function reasonOf(check: ReadinessCheck): string | null {
  try {
    return check.check();
  } catch {
    return 'the check itself failed';
  }
}
