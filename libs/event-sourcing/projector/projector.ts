import type { Clock } from '../environment';
import type { EventBatch } from '../event-store';
import type { Projection } from '../projection';
import { isCompleteVersion, type ProjectionVersion } from '../read-store';
import { recordedAtMs } from '../upcast';
import { Builder } from './builder';
import { beginBuildOfOurs, openVersion } from './open-version';
import type { ProjectorDependencies } from './ports';
import { removeOld } from './removal';
import { ProjectionSession } from './projection-session';
import { hasMoreToTake, StallDetector } from './stall-detector';
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
    const session = new ProjectionSession(projection.name, readStore, () => observer.lost(projection.name));
    const stopListening = readStore.onLost(() => session.lose());
    const end = () => session.end();
    signal.addEventListener('abort', end, { once: true });
    try {
      await new ProjectorSession(projection, deps, session).run(isFirst);
    } finally {
      session.end();
      stopListening();
      signal.removeEventListener('abort', end);
    }
  }
}

/** All that is done for a projection while one version is the one that is read. */
class ProjectorSession {
  constructor(
    private readonly projection: Projection,
    private readonly deps: ProjectorDependencies,
    private readonly session: ProjectionSession,
  ) {}

  async run(isFirst: boolean): Promise<void> {
    const { deps, session } = this;
    const opened = await openVersion(this.projection, deps);
    const active = isFirst ? await this.triedAgain(opened) : opened;
    if (session.isLost) return;
    deps.observer.opened(active);
    const isOurs = active.declaredVersion === this.projection.declaredVersion;
    if (!isOurs) await this.replace(active);
    await session.look(active);
    const follower = this.liveFollower(active);
    const tasks = [
      isOurs ? this.follow(follower) : this.watch(),
      session.keepLooking(deps.clock, () => follower.version),
      new Builder(this.projection, deps, session).run(),
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
    this.session.end();
    throw error;
  }

  private liveFollower(active: ProjectionVersion): VersionFollower {
    const { observer, clock, order } = this.deps;
    const { projection } = this;
    return new VersionFollower(projection, active, this.deps, this.session, {
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
    const { projection, session } = this;
    const { order } = this.deps;
    try {
      if (!isCompleteVersion(follower.version)) await order?.turn(projection, session.signal);
      await follower.run();
    } finally {
      order?.done(projection);
    }
    session.end();
  }

  /**
   * Of a version that is another release's, how far others have come with it. Where nobody goes on with it, it is for this release
   * to replace it: the other one was taken back.
   */
  private async watch(): Promise<void> {
    const { session, deps, projection } = this;
    const stall = new StallDetector(deps.clock);
    while (!session.signal.aborted) {
      await session.nextLook();
      const { active, building } = session.versions;
      if (session.signal.aborted || active === null) return;
      deps.observer.committed(active);
      if (!stall.isAbandoned(active)) continue;
      stall.restart();
      if (building === null && (await hasMoreToTake(projection, active, deps.eventStore))) {
        await beginBuildOfOurs(projection, deps);
      }
    }
  }

  private async removeOld(): Promise<void> {
    const { session, deps, projection } = this;
    while (!session.signal.aborted) {
      await removeOld(projection, deps, session.signal);
      await session.nextLook();
    }
  }
}

function lagMs(batch: EventBatch, clock: Clock): number {
  const oldest = batch.events[0];
  if (oldest === undefined) return 0;
  const nowMs = clock.nowMs();
  return Math.max(0, nowMs - (recordedAtMs(oldest) ?? nowMs));
}
