import {
  type Clock,
  type EventStore,
  EventStoreUnavailableError,
  eventsOf,
  type Projection,
} from '@app/event-sourcing';
import type { Worker } from '@app/platform/lifecycle';
import type { ProjectionProgress } from './progress';

/** How often the log's head is read, in ms. */
const LOOK_EVERY_MS = 1_000;

/**
 * How long an event in the log may be missing from a projection before single reads stop relying on it, in ms: longer
 * than any ordinary lag.
 */
export const OVERDUE_AFTER_MS = 5_000;

export interface LagWatchDependencies {
  readonly eventStore: Pick<EventStore, 'head' | 'readAll'>;
  readonly progress: ProjectionProgress;
  readonly clock: Clock;
}

export interface WatchedProjection {
  readonly projection: Projection;
  /** The names of its partitions. */
  readonly parts: readonly string[];
}

interface SeenHead {
  readonly position: bigint;
  readonly atMs: number;
}

/**
 * Notices when a projection lacks an event that has been in the log for longer than `OVERDUE_AFTER_MS`, as when no
 * projector runs: then single reads go to the log, and lists are refused. A projection must also contain everything
 * that was in the log when the process started, before it is trusted at all: the read store may be an old copy. No
 * request waits for this watch. It costs the event store one read of the head per second, and a read of one event for
 * each position at which a partition is behind.
 *
 * A projection that is slow or catching up is overdue as well until its lag is below the limit: its data is just as old
 * and would contradict earlier answers. Meanwhile each single read costs a read of one short stream, as during a
 * rebuild; this ends by itself.
 */
export class LagWatch implements Worker {
  readonly name = 'lag';
  /** From old to new: the latest head older than `OVERDUE_AFTER_MS`, then all younger ones. */
  private heads: readonly SeenHead[] = [];
  /**
   * The position of the next event for a projection, by its name and the position searched from. Never changes once
   * found.
   */
  private nextAfter = new Map<string, bigint>();

  /** @param watched projections with the names of all their partitions. */
  constructor(
    private readonly watched: readonly WatchedProjection[],
    private readonly deps: LagWatchDependencies,
  ) {}

  /** Must complete before the progress of any projection is reported. @throws EventStoreUnavailableError */
  async begin(): Promise<void> {
    const head = await this.deps.eventStore.head();
    for (const { parts } of this.watched) for (const partition of parts) this.deps.progress.mustHave(partition, head);
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.look();
      await this.deps.clock.sleep(LOOK_EVERY_MS, signal);
    }
  }

  private async look(): Promise<void> {
    const { progress } = this.deps;
    try {
      const settled = await this.settledHead();
      const known = this.nextAfter;
      this.nextAfter = new Map();
      for (const { projection, parts } of this.watched) {
        for (const partition of parts) {
          await this.forgiveBehind(projection, partition, known);
          progress.overdue(partition, await this.missing(projection, partition, settled, known));
        }
      }
    } catch (error) {
      if (!(error instanceof EventStoreUnavailableError)) throw error;
      // The log cannot be read now, so the projections are all there is to show.
      for (const { parts } of this.watched) for (const partition of parts) progress.overdue(partition, null);
    }
  }

  /** The log's head `OVERDUE_AFTER_MS` ago; null if it is unknown or the log was empty. */
  private async settledHead(): Promise<bigint | null> {
    const { eventStore, clock, progress } = this.deps;
    const position = await eventStore.head();
    for (const { parts } of this.watched) for (const partition of parts) progress.endsAt(partition, position);
    const nowMs = clock.monotonicMs();
    const heads = position === null ? this.heads : [...this.heads, { position, atMs: nowMs }];
    const isSettled = ({ atMs }: SeenHead) => atMs <= nowMs - OVERDUE_AFTER_MS;
    const latest = heads.findLastIndex(isSettled);
    this.heads = heads.slice(Math.max(latest, 0));
    return heads[latest]?.position ?? null;
  }

  /**
   * The head may be an event of no concern to the projection: a partition is behind only if the log has an event for
   * it.
   */
  private async forgiveBehind(
    projection: Projection,
    partition: string,
    known: ReadonlyMap<string, bigint>,
  ): Promise<void> {
    const behind = this.deps.progress.behind(partition);
    if (behind === null) return;
    const next = await this.next(projection, behind.version.checkpoint?.position ?? -1n, known);
    if (next === null || next > behind.floor) this.deps.progress.lacksNothing(behind.version);
  }

  /**
   * The position up to which the partition lacks events; null if it lacks none. It is behind only if the log has an
   * event for it: the head may be an event of no concern, which moves a checkpoint only now and then.
   */
  private async missing(
    projection: Projection,
    partition: string,
    settled: bigint | null,
    known: ReadonlyMap<string, bigint>,
  ): Promise<bigint | null> {
    const { progress } = this.deps;
    if (settled === null || progress.problem(partition) !== null || progress.isAt(partition, settled)) return null;
    const next = await this.next(projection, progress.position(partition), known);
    return next !== null && next <= settled ? settled : null;
  }

  private async next(
    projection: Projection,
    position: bigint,
    known: ReadonlyMap<string, bigint>,
  ): Promise<bigint | null> {
    const place = `${projection.name} ${position}`;
    const next = this.nextAfter.get(place) ?? known.get(place) ?? (await this.read(projection, position));
    if (next !== null) this.nextAfter.set(place, next);
    return next;
  }

  private async read(projection: Projection, position: bigint): Promise<bigint | null> {
    const after = position < 0n ? null : position;
    const { events } = await this.deps.eventStore.readAll({ after, filter: eventsOf(projection), maxCount: 1 });
    return events[0]?.position ?? null;
  }
}
