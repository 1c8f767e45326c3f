import { type Clock, type Lease, type ReadStore, ReadStoreUnavailableError } from '@app/kernel';
import { errorReason, type Logger, type ReadinessCheck, type Worker } from '@app/runtime';
import { wholeName } from './partitions';

/** After a crash others take over once this has passed. */
export const UNIT_LEASE_MS = 5_000;
/** Short of a third of it, so that one renewal may fail and be made up for. */
const RENEW_EVERY_MS = 1_500;
/** While the read store is away: soon after its return the work goes on. */
const RETRY_AFTER_MS = 500;
/** A projector that is amid a commit may take this long to end; the other leases have to be renewed. */
const UNIT_STOP_MS = 2_000;

/** Runs one worker until it is stopped, again and again where it fails. */
export interface UnitRunner {
  /** Resolves when it has ended, at most after `deadlineMs`. */
  stop(deadlineMs: number): Promise<unknown>;
  readinessCheck(): ReadinessCheck;
}

export interface SharedProjectorsDependencies {
  readonly readStore: ReadStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Unique for each running process. */
  readonly owner: string;
  /** Hash of the code that projects. */
  readonly codeHash: string;
  /** Begins to project the unit. */
  readonly start: (unit: string) => UnitRunner;
  /** Called when the process has nothing to do with the unit any more. */
  readonly left: (unit: string) => void;
}

/**
 * Shares projections, or parts of them, between all processes of the same code: each belongs to one member of the group, evenly,
 * and is held by a lease, so that nothing is done twice. When a process dies, others take over once its leases have ended.
 * Two releases that run side by side have groups of their own, so that the newer one keeps what it builds, and the older one
 * follows what it has built until that is replaced.
 *
 * The lease only saves work. A process that was frozen and goes on as if it still held one does no harm: the first commit of
 * who came after it has fenced it off.
 */
export class SharedProjectors implements Worker {
  readonly name = 'projectors';
  private readonly running = new Map<string, UnitRunner>();
  private isAway = false;

  /** @param units the same in every process; their names, in any order. */
  constructor(
    private readonly units: readonly string[],
    private readonly deps: SharedProjectorsDependencies,
  ) {}

  /** What the process projects now. */
  get held(): readonly string[] {
    return [...this.running.keys()];
  }

  /** Not ready while one of its projectors waits to be run again. */
  readinessCheck(): ReadinessCheck {
    const reasons = () => [...this.running.values()].map((runner) => runner.readinessCheck().check());
    return { name: 'projectors', check: () => reasons().filter(Boolean).join('; ') || null };
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.deps;
    try {
      while (!signal.aborted) {
        try {
          await this.takeTurns(signal);
          this.isAway = false;
          await clock.sleep(RENEW_EVERY_MS, signal);
        } catch (error) {
          if (!(error instanceof ReadStoreUnavailableError)) throw error;
          if (!this.isAway) logger.warn('the read store cannot be shared out', { reason: errorReason(error) });
          this.isAway = true;
          await clock.sleep(RETRY_AFTER_MS, signal);
        }
      }
    } finally {
      await this.leaveAll();
    }
  }

  private async takeTurns(signal: AbortSignal): Promise<void> {
    const { readStore } = this.deps;
    const members = await readStore.join(this.lease(this.group));
    const own = new Set(this.ownOf(members));
    // What is given back first can be taken up by its new owner while the rest goes on.
    const others = this.held.filter((unit) => !own.has(unit));
    await Promise.all(others.map((unit) => this.giveBack(unit)));
    await Promise.all([...own].map((unit) => this.hold(unit, signal)));
  }

  private ownOf(members: readonly string[]): readonly string[] {
    const place = members.indexOf(this.deps.owner);
    return inTurns(this.units).filter((_unit, index) => index % members.length === place);
  }

  private async hold(unit: string, signal: AbortSignal): Promise<void> {
    const { readStore, logger, start } = this.deps;
    const isHeld = await readStore.holdLease(this.lease(this.leaseName(unit)));
    const known = this.running.get(unit);
    // Another one has it: it was thought dead, as this process was frozen, or the store has lost the lease.
    if (!isHeld && known !== undefined) await this.endUnit(unit, known);
    if (!isHeld || known !== undefined || signal.aborted) return;
    logger.info('projection is followed by this process', { projection: unit });
    this.running.set(unit, start(unit));
  }

  private async giveBack(unit: string): Promise<void> {
    const { readStore, logger, owner } = this.deps;
    const known = this.running.get(unit);
    if (known === undefined) return;
    await this.endUnit(unit, known);
    logger.info('projection is left to another process', { projection: unit });
    await readStore.endLease(this.leaseName(unit), owner);
  }

  private async endUnit(unit: string, runner: UnitRunner): Promise<void> {
    await runner.stop(UNIT_STOP_MS);
    this.running.delete(unit);
    this.deps.left(unit);
  }

  /** Others need not wait for the leases to end. */
  private async leaveAll(): Promise<void> {
    const { readStore, owner, logger } = this.deps;
    try {
      await Promise.all([...this.running].map(([unit, known]) => this.endUnit(unit, known)));
      await Promise.all(this.units.map((unit) => readStore.endLease(this.leaseName(unit), owner)));
      await readStore.leave(this.group, owner);
    } catch (error) {
      if (!(error instanceof ReadStoreUnavailableError)) throw error;
      logger.warn('projections are left to others when their leases end', { reason: errorReason(error) });
    }
  }

  private lease(name: string): Lease {
    const { owner, clock } = this.deps;
    return { name, owner, nowMs: clock.nowMs(), leaseMs: UNIT_LEASE_MS };
  }

  private get group(): string {
    return `projectors/${this.deps.codeHash}`;
  }

  /** A lease's name may not be the group's. */
  private leaseName(unit: string): string {
    return `projector/${this.deps.codeHash}/${unit}`;
  }
}

/**
 * The units in the order in which sorted members take turns: the parts of each projection begin one further on than those of the
 * one before, so that neither the parts of one projection nor one part of all projections falls to a single member.
 */
function inTurns(units: readonly string[]): readonly string[] {
  const sorted = [...units].sort();
  const wholes = [...new Set(sorted.map(wholeName))];
  return wholes.flatMap((whole, index) => {
    const parts = sorted.filter((unit) => wholeName(unit) === whole);
    const first = index % parts.length;
    return [...parts.slice(first), ...parts.slice(0, first)];
  });
}
