import { installationDecider, INSTALLATIONS_STREAM_ID } from '@app/installations/domain';
import {
  type Clock,
  type CommandHandling,
  EventStoreUnavailableError,
  type Random,
  type ReadStore,
  ReadStoreUnavailableError,
} from '@app/event-sourcing';
import { failureLog, type Logger, type ReadinessCheck } from '@app/platform/telemetry';
import { type Worker } from '@app/platform/lifecycle';

const LOOK_EVERY_MS = 5_000;
/** While two installations answer each other, each answers at most this often. */
const ANSWER_EVERY_MS = 30_000;
/** An installation that has not answered for this long is gone. */
const GONE_AFTER_MS = 90_000;

const REASON =
  'another installation, with a read store of its own, works on the same log: webhooks are sent twice; stop one of them';

export interface InstallationWatchDependencies {
  readonly handling: CommandHandling;
  readonly readStore: Pick<ReadStore, 'installationId'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/**
 * Detects another installation on the same log: one with its own read store, so that neither sees the other's claims.
 * Each announces itself in the log until it is the latest. A running installation announces itself again after another
 * one did, so one that gets an answer is not alone. An installation that is gone does not answer, so that no clock is
 * needed.
 */
export class InstallationWatch implements Worker {
  readonly name = 'installation';
  private id: string;
  /** The revision up to which announcements were checked; null until this installation was the latest. */
  private seen: number | null = null;
  private heardAtMs: number | null = null;
  private announcedAtMs = -Infinity;

  constructor(private readonly deps: InstallationWatchDependencies) {
    this.id = deps.random.uuid();
  }

  /** Work continues: doing things twice does less harm than not doing them. */
  readinessCheck(): ReadinessCheck {
    return { name: 'installation', check: () => (this.heardAtMs === null ? null : REASON), tolerable: true };
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.deps;
    while (!signal.aborted) {
      await this.look().catch((error: unknown) => this.tellOf(error));
      await clock.sleep(LOOK_EVERY_MS, signal);
    }
  }

  private async look(): Promise<void> {
    const { handling, readStore, clock } = this.deps;
    const { state: announced } = await handling.load(installationDecider, INSTALLATIONS_STREAM_ID);
    // Read after the log: a read store that was emptied gets a new id before that id is announced.
    this.id = await readStore.installationId(this.id);
    const { seen } = this;
    const news = seen === null ? [] : announced.filter(({ revision }) => revision > seen);
    const other = news.findLast(({ installationId }) => installationId !== this.id);
    const nowMs = clock.monotonicMs();
    if (other !== undefined) this.hear(other.installationId, nowMs);
    else if (this.heardAtMs !== null && nowMs - this.heardAtMs >= GONE_AFTER_MS) this.isAlone();
    const last = announced.at(-1);
    if (seen !== null) this.seen = last?.revision ?? seen;
    if (last?.installationId === this.id) this.seen = last.revision;
    else if (nowMs - this.announcedAtMs >= ANSWER_EVERY_MS) await this.announce(nowMs);
  }

  private async announce(nowMs: number): Promise<void> {
    const { handling, random } = this.deps;
    const command = { type: 'AnnounceInstallation', installationId: this.id } as const;
    const context = { correlationId: random.uuid(), causationId: null, actor: 'worker:installation' };
    const { loaded } = await handling.handle(installationDecider, INSTALLATIONS_STREAM_ID, command, context);
    this.announcedAtMs = nowMs;
    this.seen = loaded.last?.revision ?? null;
  }

  private hear(installationId: string, nowMs: number): void {
    if (this.heardAtMs === null) this.deps.logger.error(REASON, { installationId: this.id, other: installationId });
    this.heardAtMs = nowMs;
  }

  private isAlone(): void {
    this.heardAtMs = null;
    this.deps.logger.info('the other installation on the same log has gone', { installationId: this.id });
  }

  /** An unavailable store is reported elsewhere. */
  private tellOf(error: unknown): void {
    if (error instanceof EventStoreUnavailableError || error instanceof ReadStoreUnavailableError) return;
    failureLog(this.deps).failed(
      { level: 'warn', message: 'whether another installation works on the same log cannot be told' },
      error,
    );
  }
}
