import type { Clock, Damage } from '@app/event-sourcing';
import type { Logger } from './logger';
import type { ReadinessCheck } from './health';
import type { Metrics } from './metrics';

/** Beyond this many, further ones are not recorded. */
export const MAX_KNOWN = 1_000;

export interface KnownDamage extends Damage {
  /** When this process first found it, in ms since the epoch. */
  readonly foundAtMs: number;
}

export interface DamagedStreamsDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'damagedStreams'>;
  /** Whether this service can have written a stream of this name. Others may share the prefix. */
  readonly isOurs: (streamId: string) => boolean;
}

/**
 * The streams that this process has found damaged, for the operator. Only the damaged stream is set aside; all others
 * and the process continue. A second report of the same stream has no effect. Also its injection token.
 */
export class DamagedStreams {
  private readonly known = new Map<string, KnownDamage>();
  private readonly strangers = new Set<string>();

  constructor(private readonly deps: DamagedStreamsDependencies) {}

  /** In the order in which they were found. */
  all(): readonly KnownDamage[] {
    return [...this.known.values()];
  }

  report({ streamId, revision, kind, reason }: Damage): void {
    const { clock, logger, metrics, isOurs } = this.deps;
    if (!isOurs(streamId)) return this.reportStranger(streamId);
    if (this.known.has(streamId) || this.known.size >= MAX_KNOWN) return;
    this.known.set(streamId, { streamId, revision, kind, reason, foundAtMs: clock.nowMs() });
    metrics.damagedStreams(this.known.size);
    logger.error('a stream is damaged and set aside', { streamId, revision, kind, reason });
  }

  /** Without stream names, because the answer is public. */
  readinessCheck(): ReadinessCheck {
    return { name: 'damaged streams', tolerable: true, check: () => this.problem() };
  }

  private problem(): string | null {
    const { size } = this.known;
    if (size === 0) return null;
    const many =
      size === MAX_KNOWN ? `${size} streams or more are` : size === 1 ? 'one stream is' : `${size} streams are`;
    return `${many} damaged and set aside: see counterfoil damaged-streams`;
  }

  /** Others may share the event store; logged once per category. */
  private reportStranger(streamId: string): void {
    const category = streamId.slice(0, streamId.indexOf('-') + 1) || streamId;
    if (this.strangers.has(category) || this.strangers.size >= MAX_KNOWN) return;
    this.strangers.add(category);
    const hint = 'a STREAM_PREFIX of its own keeps this service apart from others on the same event store';
    this.deps.logger.warn('streams of others begin like those of this service', { streamId, hint });
  }
}
