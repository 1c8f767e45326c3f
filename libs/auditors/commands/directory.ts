import { type Auditor, AUDITOR_STREAM_PREFIX } from '@app/auditors/domain';
import { Clock, EventStore, type RecordedEvent } from '@app/event-sourcing';
import type { AuditorTokenRefusal, Auditors, AuthenticatedAuditor } from '@app/platform/auditors';
import { StreamFollower } from '@app/platform/stream-follower';
import { DamagedStreams } from '@app/platform/telemetry';
import { Inject, Injectable } from '@nestjs/common';
import { AuditorIndex, type ListedAuditor } from './auditor-index';

/** All auditors in memory, as `MerchantDirectory` has the merchants. */
@Injectable()
export class AuditorDirectory implements Auditors {
  private readonly index = new AuditorIndex();
  private readonly follower: StreamFollower;

  constructor(
    eventStore: EventStore,
    private readonly clock: Clock,
    @Inject(DamagedStreams) private readonly damaged: Pick<DamagedStreams, 'report'>,
  ) {
    const take = (event: RecordedEvent): void => this.take(event);
    this.follower = new StreamFollower({ eventStore, clock, streamPrefix: AUDITOR_STREAM_PREFIX, take });
  }

  authenticate(token: string): AuthenticatedAuditor | null {
    const auditor = this.index.ofToken(token);
    return auditor === null || this.reasonAgainst(auditor) !== null ? null : bearerOf(auditor);
  }

  whyRefused(token: string): AuditorTokenRefusal {
    const auditor = this.index.ofToken(token);
    const reason = auditor && this.reasonAgainst(auditor);
    if (auditor === null || reason === null) return { reason: 'unknown', bearer: null };
    return { reason, bearer: bearerOf(auditor) };
  }

  /** All of them, as of the last read: call `refresh` first. */
  listed(): readonly ListedAuditor[] {
    return this.index.listed();
  }

  isStale(): boolean {
    return this.follower.isStale();
  }

  /** @throws EventStoreUnavailableError */
  refresh(): Promise<void> {
    return this.follower.refresh();
  }

  refreshBestEffort(): Promise<void> {
    return this.follower.refreshBestEffort();
  }

  /** Follows the log until `signal` is aborted. */
  follow(signal: AbortSignal): Promise<void> {
    return this.follower.follow(signal);
  }

  private reasonAgainst({ revokedAt, expiresAt }: Auditor): 'revoked' | 'expired' | null {
    if (revokedAt !== null) return 'revoked';
    return this.clock.nowMs() < Date.parse(expiresAt) ? null : 'expired';
  }

  private take(event: RecordedEvent): void {
    const damage = this.index.apply(event);
    if (damage !== null) this.damaged.report(damage);
  }
}

function bearerOf({ auditorId, name }: Auditor): AuthenticatedAuditor {
  return { auditorId, name };
}
