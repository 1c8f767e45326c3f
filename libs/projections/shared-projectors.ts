import { type Clock, type Lease, type Projection, type ReadStore, ReadStoreUnavailableError } from '@app/kernel';
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

/** A projection, or a part of one, with the version that this release declares of it. */
export type SharedUnit = Pick<Projection, 'name' | 'declaredVersion'>;

/** Runs one worker until it is stopped, again and again where it fails. */
export interface UnitRunner {
  /** Resolves when it has ended, at most after `deadlineMs`. */
  stop(deadlineMs: number): Promise<unknown>;
  readinessCheck(): ReadinessCheck;
}

export interface SharedProjectorsDependencies<U extends SharedUnit> {
  readonly readStore: ReadStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Unique for each running process. */
  readonly owner: string;
  /** Begins to project the unit. */
  readonly start: (unit: U) => UnitRunner;
  /** Called when the process has nothing to do with the unit any more. */
  readonly left: (unit: string) => void;
}

/**
 * Shares projections, or parts of them, between processes: each projection has a group of those that declare the same version of
 * it, whatever their release. Its parts belong to the members in turn, evenly, and are held by leases, so that nothing is done
 * twice. When a process dies, others take over once its leases have ended. Of two releases that declare different versions each
 * has a group of its own, so that the newer one keeps what it builds, and the older one follows what it has built until that is
 * replaced.
 *
 * The lease only saves work. A process that was frozen and goes on as if it still held one does no harm: the first commit of
 * who came after it has fenced it off.
 */
export class SharedProjectors<U extends SharedUnit> implements Worker {
  readonly name = 'projectors';
  private readonly running = new Map<U, UnitRunner>();
  private readonly groups: readonly Group<U>[];
  private isAway = false;

  /** @param units the same in every process of one release, in any order. */
  constructor(
    private readonly units: readonly U[],
    private readonly deps: SharedProjectorsDependencies<U>,
  ) {
    this.groups = groupsOf(units);
  }

  /** What the process projects now. */
  get held(): readonly string[] {
    return [...this.running.keys()].map(({ name }) => name);
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
    const owned = await Promise.all(
      this.groups.map(async (group) => this.ownOf(group, await readStore.join(this.lease(group.name)))),
    );
    const own = new Set(owned.flat());
    // What is given back first can be taken up by its new owner while the rest goes on.
    const others = [...this.running.keys()].filter((unit) => !own.has(unit));
    await Promise.all(others.map((unit) => this.giveBack(unit)));
    await Promise.all([...own].map((unit) => this.hold(unit, signal)));
  }

  private ownOf({ units, first }: Group<U>, members: readonly string[]): readonly U[] {
    const place = members.indexOf(this.deps.owner);
    return units.filter((_unit, index) => (index + first) % members.length === place);
  }

  private async hold(unit: U, signal: AbortSignal): Promise<void> {
    const { readStore, logger, start } = this.deps;
    const isHeld = await readStore.holdLease(this.lease(this.leaseName(unit)));
    const known = this.running.get(unit);
    // Another one has it: it was thought dead, as this process was frozen, or the store has lost the lease.
    if (!isHeld && known !== undefined) await this.endUnit(unit, known);
    if (!isHeld || known !== undefined || signal.aborted) return;
    logger.info('projection is followed by this process', { projection: unit.name });
    this.running.set(unit, start(unit));
  }

  private async giveBack(unit: U): Promise<void> {
    const { readStore, logger, owner } = this.deps;
    const known = this.running.get(unit);
    if (known === undefined) return;
    await this.endUnit(unit, known);
    logger.info('projection is left to another process', { projection: unit.name });
    await readStore.endLease(this.leaseName(unit), owner);
  }

  private async endUnit(unit: U, runner: UnitRunner): Promise<void> {
    await runner.stop(UNIT_STOP_MS);
    this.running.delete(unit);
    this.deps.left(unit.name);
  }

  /** Others need not wait for the leases to end. */
  private async leaveAll(): Promise<void> {
    const { readStore, owner, logger } = this.deps;
    try {
      await Promise.all([...this.running].map(([unit, known]) => this.endUnit(unit, known)));
      await Promise.all(this.units.map((unit) => readStore.endLease(this.leaseName(unit), owner)));
      await Promise.all(this.groups.map(({ name }) => readStore.leave(name, owner)));
    } catch (error) {
      if (!(error instanceof ReadStoreUnavailableError)) throw error;
      logger.warn('projections are left to others when their leases end', { reason: errorReason(error) });
    }
  }

  private lease(name: string): Lease {
    const { owner, clock } = this.deps;
    return { name, owner, nowMs: clock.nowMs(), leaseMs: UNIT_LEASE_MS };
  }

  /** A lease's name may not be a group's. */
  private leaseName({ name, declaredVersion }: SharedUnit): string {
    return `projector/${name}@${declaredVersion}`;
  }
}

/** Those who project one whole projection in one declared version. */
interface Group<U> {
  readonly name: string;
  /** Its parts: members take them in turn, beginning with the `first`th one. */
  readonly units: readonly U[];
  readonly first: number;
}

/**
 * The parts of each projection begin one further on than those of the one before, where that one has ended among the members, so
 * that neither the parts of one projection nor one part of all projections falls to a single member.
 */
function groupsOf<U extends SharedUnit>(units: readonly U[]): readonly Group<U>[] {
  const sorted = [...units].sort((one, other) => (one.name < other.name ? -1 : 1));
  const wholes = [...new Set(sorted.map(({ name }) => wholeName(name)))];
  let first = 0;
  return wholes.map((whole, index) => {
    const parts = sorted.filter(({ name }) => wholeName(name) === whole);
    const begin = index % parts.length;
    const ordered = [...parts.slice(begin), ...parts.slice(0, begin)];
    const group = { name: `projectors/${whole}@${parts[0]?.declaredVersion}`, units: ordered, first };
    first += parts.length;
    return group;
  });
}
