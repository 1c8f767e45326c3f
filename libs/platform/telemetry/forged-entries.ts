import type { Logger } from './logger';
import type { Metrics } from './metrics';

/** Each entry is logged once; beyond this number the oldest are forgotten and may be logged again. */
const MAX_REMEMBERED = 1_000;
/** Keys come from a store that others may have written to. */
const MAX_SHOWN = 80;

/** An entry of the read store is not confirmed by the log, and must not be acted upon. */
export class ForgedEntryError extends Error {
  constructor(readonly reason: string) {
    super(reason);
    this.name = 'ForgedEntryError';
  }
}

/**
 * Reports entries of the read store that the log does not confirm: written by an intruder, or by a faulty projection.
 * Also its injection token.
 */
export class ForgedEntries {
  private readonly told = new Set<string>();

  constructor(private readonly deps: { readonly logger: Logger; readonly metrics: Pick<Metrics, 'forgedEntry'> }) {}

  /** @param kind what the entry belongs to, such as a to-do list. */
  report(kind: string, key: string, reason: string): void {
    const name = `${kind}/${key}`;
    if (this.told.has(name)) return;
    this.told.add(name);
    const [oldest] = this.told;
    if (this.told.size > MAX_REMEMBERED && oldest !== undefined) this.told.delete(oldest);
    const { logger, metrics } = this.deps;
    metrics.forgedEntry(kind);
    logger.error('an entry of the read store is forged and not acted upon', {
      kind,
      key: key.slice(0, MAX_SHOWN),
      reason,
    });
  }
}
