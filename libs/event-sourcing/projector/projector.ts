import type { Clock } from '../environment';
import type { EventBatch } from '../event-store';
import type { Projection } from '../projection';
import { isCompleteVersion, type ProjectionVersion } from '../read-store';
import { recordedAtMs } from '../upcast';
import { Builder } from './builder';
import { beginBuildOfOurs, openVersion } from './open-version';
import type { ProjectorDependencies } from './ports';
import { removeOld } from './removal';
import { Round } from './round';
import { hasMoreToTake, StandingStill } from './standing-still';
import { stopCommit } from './stop-commit';
import { VersionFollower } from './version-follower';

/**
 * Keeps one projection up to date until `signal` is aborted: follows the log from the checkpoint and commits documents
 * and checkpoint together. Any number may run: a commit by another one fences this one off, and it begins again from there.
 *
 * A version of an earlier declared version is replaced by one that is built beside it, which is read until then. One of a later
 * declared version is a newer release's: it is replaced only where nobody goes on with it any more, so that two releases that run
 * side by side don't build in turn. What an operator wants built again is built in the same way. A version that is gone from the read store is built again at once, whether or not anything more is appended.
 *
 * An event that can't be applied is noted as the version's stop, and it stands still there until that is taken away. Whoever begins
 * to run tries it again once: it may be a release that can.
 *
 * @throws EventStoreUnavailableError, ReadStoreUnavailableError; it can be run again.
 */
export async function runProjector(
  projection: Projection,
  deps: ProjectorDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { readStore, observer } = deps;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const round = new Round(projection.name, readStore, () => observer.lost(projection.name));
    const stopListening = readStore.onLost(() => round.lose());
    const end = () => round.end();
    signal.addEventListener('abort', end, { once: true });
    try {
      await new ProjectorRound(projection, deps, round).run(isFirst);
    } finally {
      round.end();
      stopListening();
      signal.removeEventListener('abort', end);
    }
  }
}

/** All that is done for a projection while one version is the one that is read. */
class ProjectorRound {
  constructor(
    private readonly projection: Projection,
    private readonly deps: ProjectorDependencies,
    private readonly round: Round,
  ) {}

  async run(isFirst: boolean): Promise<void> {
    const { deps, round } = this;
    const opened = await openVersion(this.projection, deps);
    const active = isFirst ? await this.triedAgain(opened) : opened;
    if (round.isLost) return;
    deps.observer.opened(active);
    const isOurs = active.declaredVersion === this.projection.declaredVersion;
    if (!isOurs) await this.replace(active);
    await round.look(active);
    const follower = this.liveFollower(active);
    const tasks = [
      isOurs ? this.follow(follower) : this.watch(),
      round.keepLooking(deps.clock, () => follower.version),
      new Builder(this.projection, deps, round).run(),
      this.removeOld(),
    ];
    for (const task of await Promise.allSettled(tasks.map((running) => running.catch((error) => this.fail(error))))) {
      if (task.status === 'rejected') throw task.reason;
    }
  }

  private async triedAgain(opened: ProjectionVersion): Promise<ProjectionVersion> {
    const isOurs = opened.declaredVersion === this.projection.declaredVersion;
    if (opened.stop === null || !isOurs) return opened;
    await this.deps.readStore.commit(stopCommit(opened, null));
    return { ...opened, stop: null };
  }

  private async replace(active: ProjectionVersion): Promise<void> {
    const isLater = active.declaredVersion > this.projection.declaredVersion;
    if (isLater && !this.deps.isAlone) this.deps.observer.superseded(active);
    else await beginBuildOfOurs(this.projection, this.deps);
  }

  private fail(error: unknown): never {
    this.round.end();
    throw error;
  }

  private liveFollower(active: ProjectionVersion): VersionFollower {
    const { observer, clock, order } = this.deps;
    const { projection } = this;
    return new VersionFollower(projection, active, this.deps, this.round, {
      onStop: (version) => {
        order?.done(projection);
        observer.committed(version);
      },
      onBatch: async (version, batch) => {
        if (isCompleteVersion(version)) order?.done(projection);
        observer.committed(version);
        observer.lagging(lagMs(batch, clock));
        return 'go-on';
      },
    });
  }

  private async follow(follower: VersionFollower): Promise<void> {
    const { projection, round } = this;
    const { order } = this.deps;
    try {
      if (!isCompleteVersion(follower.version)) await order?.turn(projection, round.signal);
      await follower.run();
    } finally {
      order?.done(projection);
    }
    round.end();
  }

  /**
   * Of a version that is another release's, how far others have come with it. Where nobody goes on with it, it is for this release
   * to replace it: the other one was taken back.
   */
  private async watch(): Promise<void> {
    const { round, deps, projection } = this;
    const standing = new StandingStill(deps.clock);
    while (!round.signal.aborted) {
      await round.nextLook();
      const { active, building } = round.versions;
      if (round.signal.aborted || active === null) return;
      deps.observer.committed(active);
      if (!standing.isLeftBehind(active)) continue;
      standing.forgive();
      if (building === null && (await hasMoreToTake(projection, active, deps.eventStore))) {
        await beginBuildOfOurs(projection, deps);
      }
    }
  }

  private async removeOld(): Promise<void> {
    const { round, deps, projection } = this;
    while (!round.signal.aborted) {
      await removeOld(projection, deps, round.signal);
      await round.nextLook();
    }
  }
}

function lagMs(batch: EventBatch, clock: Clock): number {
  const oldest = batch.events[0];
  if (oldest === undefined) return 0;
  const nowMs = clock.nowMs();
  return Math.max(0, nowMs - (recordedAtMs(oldest) ?? nowMs));
}
