import type { Logger } from './logger';
import type { Metrics } from './metrics';

/** Each is told of once; beyond these a new one may be told of again. */
const MAX_REMEMBERED = 1_000;
/** A key comes from where anybody may have written. */
const MAX_SHOWN = 80;

/** Something in the read store isn't borne out by the log: it is not acted upon. */
export class ForgedEntryError extends Error {
  constructor(readonly reason: string) {
    super(reason);
    this.name = 'ForgedEntryError';
  }
}

/**
 * Tells the operator of entries of the read store that the log does not bear out: what somebody else has written there, or a fault of
 * a projection. Also its injection token.
 */
export class ForgedEntries {
  private readonly told = new Set<string>();

  constructor(private readonly deps: { readonly logger: Logger; readonly metrics: Pick<Metrics, 'forgedEntry'> }) {}

  /** @param kind what the entry is one of, such as a to-do list. */
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
