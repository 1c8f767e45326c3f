import { type Clock, type Lease, type ReadStore, ReadStoreUnavailableError } from '@app/event-sourcing';
import { errorReason, type Logger, type ReadinessCheck } from '@app/platform/telemetry';
import { type Worker } from '@app/platform/lifecycle';

/** After a crash others take over once this has passed. */
export const UNIT_LEASE_MS = 5_000;
/** Short of a third of it, so that one renewal may fail and be made up for. */
const RENEW_EVERY_MS = 1_500;
/** While the read store is away: soon after its return the work goes on. */
const RETRY_AFTER_MS = 500;
/** A projector that is amid a commit may take this long to end; the other leases have to be renewed. */
const UNIT_STOP_MS = 2_000;
const MANY = Number.MAX_SAFE_INTEGER;

/** What one process at a time works on: a projection, a to-do list, or a partition of one. */
export interface SharedUnit {
  readonly name: string;
  /** Whoever holds the lease of this name has it. */
  readonly lease: string;
  /** Those who join the group of this name share its units. */
  readonly group: string;
}

/** Runs one worker until it is stopped, again and again where it fails. */
export interface UnitRunner {
  /** Resolves when it has ended, at most after `deadlineMs`. */
  stop(deadlineMs: number): Promise<unknown>;
  readinessCheck(): ReadinessCheck;
}

export interface LeasedPartitionsDependencies<U extends SharedUnit> {
  readonly readStore: ReadStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Unique for each running process. */
  readonly owner: string;
  /** Begins to work on the unit. `isHeld` tells whether its lease has certainly not ended yet. */
  readonly start: (unit: U, isHeld: () => boolean) => UnitRunner;
  /** Called when the process has nothing to do with the unit any more. */
  readonly left: (unit: string) => void;
  /** At the end, what is in hand may take this long, in ms, before the units are left to others. */
  readonly drainMs?: number;
}

interface Held {
  readonly runner: UnitRunner;
  /** When the lease was taken or lengthened last, by the monotonic clock. */
  renewedAtMs: number;
}

/**
 * Shares units between processes: those of one group belong to its members in turn, evenly, and are held by leases, so that nothing is
 * done twice. When a process dies, others take over once its leases have ended.
 *
 * The lease only saves work. A process that was frozen and goes on as if it still held one does no harm: commits are fenced, and
 * what reactors do bears being done twice.
 */
export class LeasedPartitions<U extends SharedUnit> implements Worker {
  private readonly running = new Map<U, Held>();
  private readonly groups: readonly Group<U>[];
  private isAway = false;

  /**
   * @param name what the units are, such as `projectors`
   * @param units the same in every process of one release, in any order
   */
  constructor(
    readonly name: string,
    private readonly units: readonly U[],
    private readonly deps: LeasedPartitionsDependencies<U>,
  ) {
    this.groups = groupsOf(units);
  }

  /** What the process has now. */
  get held(): readonly string[] {
    return [...this.running.keys()].map(({ name }) => name);
  }

  /** Not ready while one of them waits to be run again. */
  readinessCheck(): ReadinessCheck {
    const reasons = () => [...this.running.values()].map(({ runner }) => runner.readinessCheck().check());
    return { name: this.name, check: () => reasons().filter(Boolean).join('; ') || null };
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
          if (!this.isAway)
            logger.warn('the read store cannot be asked for leases', { of: this.name, reason: errorReason(error) });
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
      this.groups.map(async (group) =>
        this.ownOf(group, await readStore.lease({ ...this.lease(group.name), seats: MANY })),
      ),
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
    const { readStore, clock, logger, owner, start } = this.deps;
    const atMs = clock.monotonicMs();
    const isHeld = (await readStore.lease(this.lease(unit.lease))).includes(owner);
    const known = this.running.get(unit);
    if (isHeld && known !== undefined) known.renewedAtMs = atMs;
    // Another one has it: it was thought dead, as this process was frozen, or the store has lost the lease.
    if (!isHeld && known !== undefined) await this.endUnit(unit, known, UNIT_STOP_MS);
    if (!isHeld || known !== undefined || signal.aborted) return;
    logger.info('taken over by this process', { [this.name]: unit.name });
    const isStillHeld = () => clock.monotonicMs() - (this.running.get(unit)?.renewedAtMs ?? -Infinity) < UNIT_LEASE_MS;
    const held = { renewedAtMs: atMs, runner: start(unit, isStillHeld) };
    this.running.set(unit, held);
  }

  private async giveBack(unit: U): Promise<void> {
    const { logger } = this.deps;
    const known = this.running.get(unit);
    if (known === undefined) return;
    await this.endUnit(unit, known, UNIT_STOP_MS);
    logger.info('left to another process', { [this.name]: unit.name });
    await this.endLease(unit.lease);
  }

  private async endUnit(unit: U, { runner }: Held, deadlineMs: number): Promise<void> {
    await runner.stop(deadlineMs);
    this.running.delete(unit);
    this.deps.left(unit.name);
  }

  /** Others need not wait for the leases to end. */
  private async leaveAll(): Promise<void> {
    const { logger, drainMs = UNIT_STOP_MS } = this.deps;
    try {
      await Promise.all([...this.running].map(([unit, held]) => this.endUnit(unit, held, drainMs)));
      const names = [...this.units.map(({ lease }) => lease), ...this.groups.map(({ name }) => name)];
      await Promise.all(names.map((name) => this.endLease(name)));
    } catch (error) {
      if (!(error instanceof ReadStoreUnavailableError)) throw error;
      logger.warn('left to others when the leases end', { of: this.name, reason: errorReason(error) });
    }
  }

  private async endLease(name: string): Promise<void> {
    await this.deps.readStore.lease({ ...this.lease(name), leaseMs: 0 });
  }

  private lease(name: string): Lease {
    const { owner, clock } = this.deps;
    return { name, owner, nowMs: clock.nowMs(), leaseMs: UNIT_LEASE_MS };
  }
}

/** Those who share the units of one group. */
interface Group<U> {
  readonly name: string;
  /** Members take them in turn, beginning with the `first`th one. */
  readonly units: readonly U[];
  readonly first: number;
}

/**
 * The units of each group begin one further on than those of the one before, where that one has ended among the members, so
 * that neither the units of one group nor the first ones of all groups fall to a single member.
 */
function groupsOf<U extends SharedUnit>(units: readonly U[]): readonly Group<U>[] {
  const sorted = [...units].sort((one, other) => (one.name < other.name ? -1 : 1));
  const names = [...new Set(sorted.map(({ group }) => group))];
  let first = 0;
  return names.map((name, index) => {
    const own = sorted.filter(({ group }) => group === name);
    const begin = index % own.length;
    const group = { name, units: [...own.slice(begin), ...own.slice(0, begin)], first };
    first += own.length;
    return group;
  });
}
