import { assert } from '@app/event-sourcing';

export interface ReadinessCheck {
  readonly name: string;
  /**
   * Null if ready; otherwise the reason, which is public. Must answer at once from what is known: probes come every
   * second, and a check that calls a dependency would hang with it.
   */
  check(): string | null;
  /** Whether the process can do without it for a while: the reason is reported, but the process stays ready. */
  readonly tolerable?: boolean;
}

export interface Readiness {
  readonly ready: boolean;
  /** Why it is not ready; if it is ready, the problems that it tolerates. */
  readonly reasons: readonly { readonly name: string; readonly reason: string }[];
}

/** Collects the checks that must pass before traffic may arrive. */
export class HealthRegistry {
  readonly #checks = new Map<string, ReadinessCheck>();
  #stopping = false;

  register(check: ReadinessCheck): void {
    assert(!this.#checks.has(check.name), `two readiness checks are named ${check.name}`);
    this.#checks.set(check.name, check);
  }

  /** Reports not ready from now on, so that load balancers send nothing new while the process drains. */
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
