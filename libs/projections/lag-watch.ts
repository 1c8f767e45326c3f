import {
  type Clock,
  type EventStore,
  EventStoreUnavailableError,
  eventsOf,
  type Projection,
} from '@app/event-sourcing';
import type { Worker } from '@app/platform/lifecycle';
import type { ProjectionProgress } from './progress';

/** How often the log is asked how far it goes, in ms. */
const LOOK_EVERY_MS = 1_000;

/** How long what is in the log may be missing from a projection until single reads no longer rely on it, in ms: no ordinary lag. */
export const OVERDUE_AFTER_MS = 5_000;

export interface LagWatchDependencies {
  readonly eventStore: Pick<EventStore, 'head' | 'readAll'>;
  readonly progress: ProjectionProgress;
  readonly clock: Clock;
}

export interface WatchedProjection {
  readonly projection: Projection;
  readonly parts: readonly string[];
}

interface SeenHead {
  readonly position: bigint;
  readonly atMs: number;
}

/**
 * Notices when a projection lacks what has been in the log for longer than `OVERDUE_AFTER_MS`, as when nobody follows the log any
 * more: single reads look into the log then, and lists are refused. What was in the log when the process started has to be in the
 * projection before anything of it is believed: nobody knows which copy of the read store is there. No request waits for it, and
 * it costs the event store one look at the log's end a second, and a read of one event for each place at which a part is behind.
 *
 * A projector that moves, but is slow or catches up, is overdue as well until it is that near: what it shows would be just as old,
 * and would jump back from what was answered before. It costs a read of one short stream for each payment asked for, as while a
 * read model is built, and ends by itself.
 */
export class LagWatch implements Worker {
  readonly name = 'lag';
  /** Those that are not yet old enough, behind the latest one that is; from old to new. */
  private heads: readonly SeenHead[] = [];
  /** Where the next event for a projection is, by its name and the place after which it was looked for: that never changes. */
  private nextAfter = new Map<string, bigint>();

  /** @param watched projections with the names of all parts in which each is built. */
  constructor(
    private readonly watched: readonly WatchedProjection[],
    private readonly deps: LagWatchDependencies,
  ) {}

  /** To be done before anybody tells how far the projections are. @throws EventStoreUnavailableError */
  async begin(): Promise<void> {
    const head = await this.deps.eventStore.head();
    for (const { parts } of this.watched) for (const part of parts) this.deps.progress.mustHave(part, head);
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
        for (const part of parts) {
          await this.forgiveBehind(projection, part, known);
          progress.overdue(part, await this.missing(projection, part, settled, known));
        }
      }
    } catch (error) {
      if (!(error instanceof EventStoreUnavailableError)) throw error;
      // Nobody can look into the log now: what was projected is all there is to show.
      for (const { parts } of this.watched) for (const part of parts) progress.overdue(part, null);
    }
  }

  /** Where the log ended when it was looked at so long ago; null where it is not known, or was empty. */
  private async settledHead(): Promise<bigint | null> {
    const { eventStore, clock, progress } = this.deps;
    const position = await eventStore.head();
    for (const { parts } of this.watched) for (const part of parts) progress.endsAt(part, position);
    const nowMs = clock.monotonicMs();
    const heads = position === null ? this.heads : [...this.heads, { position, atMs: nowMs }];
    const isSettled = ({ atMs }: SeenHead) => atMs <= nowMs - OVERDUE_AFTER_MS;
    const latest = heads.findLastIndex(isSettled);
    this.heads = heads.slice(Math.max(latest, 0));
    return heads[latest]?.position ?? null;
  }

  /** The log's end may be an event of others: a part is behind only where there is an event for it. */
  private async forgiveBehind(projection: Projection, part: string, known: ReadonlyMap<string, bigint>): Promise<void> {
    const behind = this.deps.progress.behind(part);
    if (behind === null) return;
    const next = await this.next(projection, behind.version.checkpoint?.position ?? -1n, known);
    if (next === null || next > behind.floor) this.deps.progress.lacksNothing(behind.version);
  }

  /**
   * Up to where the part lacks something; null where it doesn't. The log's end may be an event of others, which a projector is
   * told to have passed over only now and then: it is behind only when there is an event for it.
   */
  private async missing(
    projection: Projection,
    part: string,
    settled: bigint | null,
    known: ReadonlyMap<string, bigint>,
  ): Promise<bigint | null> {
    const { progress } = this.deps;
    if (settled === null || progress.problem(part) !== null || progress.isAt(part, settled)) return null;
    const next = await this.next(projection, progress.position(part), known);
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
