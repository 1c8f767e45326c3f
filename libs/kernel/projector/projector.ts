import type { Clock } from '../environment';
import type { EventMetadata } from '../event';
import type { EventBatch } from '../event-store';
import type { Projection } from '../projection';
import type { ProjectionVersion } from '../read-store';
import { beginBuildOfOurs, openVersion, whyForeign } from './open-version';
import type { ProjectorDependencies } from './ports';
import { Round } from './round';
import { VersionFollower } from './version-follower';

/** At most this many events are projected in one commit. */
const MAX_BATCH = 1_000;

/** Between two pieces of what is removed, so that it takes little of the store's time. */
const REMOVAL_PAUSE_MS = 5;

/**
 * Keeps one projection up to date until `signal` is aborted: follows the log from the checkpoint and commits documents
 * and checkpoint together. Any number may run: a commit by another one fences this one off, and it begins again from there.
 *
 * A version that other code has built is replaced by one that is built beside it, which is read until then; but only where that
 * code had built it before this projector was started. Of two releases that run side by side, the one that was started last
 * is right, so that they don't build in turn. What an operator wants built again is built in the same way. A version that
 * is gone from the read store is built again at once, whether or not anything more is appended.
 *
 * An event that can't be digested is noted as the version's stop, and it stands still there until that is taken away.
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
    const active = await openVersion(this.projection, deps);
    if (round.isLost) return;
    deps.observer.opened(active);
    const isOurs = active.codeHash === deps.codeHash;
    if (!isOurs && isFirst) await beginBuildOfOurs(this.projection, deps);
    if (!isOurs && !isFirst) deps.observer.superseded(active);
    await round.look(active);
    const follower = this.liveFollower(active);
    const tasks = [
      isOurs ? this.follow(follower) : this.watch(),
      round.keepLooking(deps.clock, () => follower.version),
      this.build(),
      this.removeOld(),
    ];
    for (const task of await Promise.allSettled(tasks.map((running) => running.catch((error) => this.fail(error))))) {
      if (task.status === 'rejected') throw task.reason;
    }
  }

  private fail(error: unknown): never {
    this.round.end();
    throw error;
  }

  private liveFollower(active: ProjectionVersion): VersionFollower {
    const { observer, clock } = this.deps;
    return new VersionFollower(this.projection, active, this.deps, this.round, {
      maxBatch: MAX_BATCH,
      onStop: (version) => observer.committed(version),
      onBatch: async (version, batch) => {
        observer.committed(version);
        observer.lagging(lagMs(batch, clock));
        return 'go-on';
      },
    });
  }

  private async follow(follower: VersionFollower): Promise<void> {
    await follower.run();
    this.round.end();
  }

  /** Of a version that others go on with, how far they have come. */
  private async watch(): Promise<void> {
    while (!this.round.signal.aborted) {
      await this.round.nextLook();
      const { active } = this.round.versions;
      if (!this.round.signal.aborted && active !== null) this.deps.observer.committed(active);
    }
  }

  /** Builds what is to be built by our code, whoever has begun it. */
  private async build(): Promise<void> {
    const { round, deps } = this;
    while (!round.signal.aborted) {
      const { building } = round.versions;
      if (building === null || building.codeHash !== deps.codeHash) await round.nextLook();
      else if ((await this.buildVersion(building)) === 'activated') round.end();
      else if (!round.signal.aborted) await round.nextLook();
    }
  }

  private async buildVersion(building: ProjectionVersion): Promise<'activated' | 'abandoned'> {
    const { eventStore, readStore, observer } = this.deps;
    const { name } = this.projection;
    if ((await whyForeign(building.checkpoint, await eventStore.head(), eventStore)) !== null) {
      await readStore.abandonBuild(name, building.version);
      observer.abandoned(building);
      return 'abandoned';
    }
    observer.building(building);
    const follower = new VersionFollower(this.projection, building, this.deps, this.round, {
      maxBatch: MAX_BATCH,
      onStop: () => undefined,
      onBatch: async ({ version }, { caughtUp }) =>
        caughtUp && (await readStore.activate(name, version)) !== 'behind' ? 'done' : 'go-on',
    });
    const outcome = await follower.run();
    const { active } = await readStore.versions(name);
    if (outcome === 'done' && active?.version === building.version) {
      observer.built(follower.version);
      return 'activated';
    }
    if (outcome !== 'ended') observer.abandoned(follower.version);
    return 'abandoned';
  }

  private async removeOld(): Promise<void> {
    const { round, deps } = this;
    while (!round.signal.aborted) {
      if (await deps.readStore.removeOld(this.projection.name)) await deps.clock.sleep(REMOVAL_PAUSE_MS, round.signal);
      else await round.nextLook();
    }
  }
}

function lagMs(batch: EventBatch, clock: Clock): number {
  const oldest = batch.events[0];
  if (oldest === undefined) return 0;
  const { recordedAt } = JSON.parse(oldest.metadata) as EventMetadata;
  return Math.max(0, clock.nowMs() - Date.parse(recordedAt));
}
