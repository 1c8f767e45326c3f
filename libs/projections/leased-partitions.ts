import { type Clock, type Lease, type ReadStore, ReadStoreUnavailableError } from '@app/event-sourcing';
import { errorReason, type Logger, type ReadinessCheck } from '@app/platform/telemetry';
import { type Worker } from '@app/platform/lifecycle';

/** The duration of a lease, in ms. After a crash, others take over when it has passed. */
export const UNIT_LEASE_MS = 5_000;
/** Less than a third of the lease, so that one failed renewal can be made up for. */
const RENEW_EVERY_MS = 1_500;
/** The pause between attempts while the read store is unavailable, short so that work resumes soon after its return. */
const RETRY_AFTER_MS = 500;
/**
 * How long to wait for a worker to stop, such as a projector during a commit. Short, as the other leases must be
 * renewed.
 */
const UNIT_STOP_MS = 2_000;
const MANY = Number.MAX_SAFE_INTEGER;

/** A unit of work for one process at a time: a projection, a to-do list, or a partition of one. */
export interface SharedUnit {
  readonly name: string;
  /** The name of the lease that its process holds. */
  readonly lease: string;
  /** Processes that join the group of this name share its units. */
  readonly group: string;
}

/** Runs one worker until it is stopped, and restarts it when it fails. */
export interface UnitRunner {
  /** Resolves when the worker has ended, after `deadlineMs` at the latest. */
  stop(deadlineMs: number): Promise<unknown>;
  readinessCheck(): ReadinessCheck;
}

export interface LeasedPartitionsDependencies<U extends SharedUnit> {
  readonly readStore: ReadStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Unique for each running process. */
  readonly owner: string;
  /** Starts work on the unit. `isHeld` returns whether its lease has certainly not expired yet. */
  readonly start: (unit: U, isHeld: () => boolean) => UnitRunner;
  /** Called when the process has stopped work on the unit. */
  readonly left: (unit: string) => void;
  /** How long work in progress may take at shutdown, in ms, before the units are left to others. */
  readonly drainMs?: number;
}

interface Held {
  readonly runner: UnitRunner;
  /** When the lease was last acquired or renewed, by the monotonic clock. */
  renewedAtMs: number;
}

/**
 * Shares units between processes: the units of a group are assigned evenly to its members and held by leases, so that
 * nothing is done twice. When a process dies, others take over once its leases have expired.
 *
 * A lease only saves work. A process that was frozen and continues after its lease has expired does no harm: commits
 * are fenced, and everything that reactors do may be done twice.
 */
export class LeasedPartitions<U extends SharedUnit> implements Worker {
  private readonly running = new Map<U, Held>();
  private readonly groups: readonly Group<U>[];
  private isAway = false;

  /**
   * @param name the kind of units, such as `projectors`
   * @param units the same in every process of a release, in any order
   */
  constructor(
    readonly name: string,
    private readonly units: readonly U[],
    private readonly deps: LeasedPartitionsDependencies<U>,
  ) {
    this.groups = groupsOf(units);
  }

  /** The names of the units that this process holds now. */
  get held(): readonly string[] {
    return [...this.running.keys()].map(({ name }) => name);
  }

  /** Not ready while a worker waits to be restarted. */
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
            logger.warn('leases cannot be renewed: the read store is unavailable', {
              of: this.name,
              reason: errorReason(error),
            });
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
    // Released first, so that their new owners can take them over meanwhile.
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
    // Another process holds it: this one was frozen and its lease expired, or the store has lost the lease.
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

  /** Releases all leases, so that others need not wait for them to expire. */
  private async leaveAll(): Promise<void> {
    const { logger, drainMs = UNIT_STOP_MS } = this.deps;
    try {
      await Promise.all([...this.running].map(([unit, held]) => this.endUnit(unit, held, drainMs)));
      const names = [...this.units.map(({ lease }) => lease), ...this.groups.map(({ name }) => name)];
      await Promise.all(names.map((name) => this.endLease(name)));
    } catch (error) {
      if (!(error instanceof ReadStoreUnavailableError)) throw error;
      logger.warn('leases could not be released: others take over when they expire', {
        of: this.name,
        reason: errorReason(error),
      });
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

/** The units that the members of a group share. */
interface Group<U> {
  readonly name: string;
  /** Assigned to the members in turn, offset by `first`. */
  readonly units: readonly U[];
  readonly first: number;
}

/**
 * Each group's units are rotated by one more than the previous group's, and continue at the member where those ended,
 * so that neither the units of one group nor the first units of all groups are assigned to a single member.
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
