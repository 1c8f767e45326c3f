import type { Projection } from '../projection';
import type { ProjectionVersion } from '../read-store';
import { beginBuildOfOurs, whyForeign } from './open-version';
import type { BuildReason, ProjectorDependencies } from './ports';
import { removeOld } from './removal';
import type { ProjectionSession } from './projection-session';
import { isLeftToUs, StallDetector } from './stall-detector';
import { VersionFollower } from './version-follower';

/** Builds versions beside the one that is read, whoever has begun them: this process before a restart, or an operator in any other. */
export class Builder {
  /** The version that the observer has heard of. */
  private told: number | null = null;

  constructor(
    private readonly projection: Projection,
    private readonly deps: ProjectorDependencies,
    private readonly session: ProjectionSession,
  ) {}

  /** Until the session ends. It ends it when what it has built is the version that is read. */
  async run(): Promise<void> {
    const { session, deps } = this;
    const stall = new StallDetector(deps.clock);
    while (!session.signal.aborted) {
      const { building } = session.versions;
      if (building?.declaredVersion === this.projection.declaredVersion) {
        if (await this.build(building)) return session.end();
      } else if (building !== null && this.isForUs(building, stall)) {
        await beginBuildOfOurs(this.projection, deps);
      }
      await session.nextLook();
    }
  }

  /**
   * What is built for a later declared version is a newer release's, unless nobody goes on with it. For an earlier one it was begun
   * by an older release, which an operator has asked: the later one is what will be needed.
   */
  private isForUs(building: ProjectionVersion, stall: StallDetector): boolean {
    return building.declaredVersion < this.projection.declaredVersion || isLeftToUs(building, stall, this.deps);
  }

  /** Whether it was built, and took the place of the one that was read. */
  private async build(building: ProjectionVersion): Promise<boolean> {
    const { eventStore, readStore, observer } = this.deps;
    const { name } = this.projection;
    if ((await whyForeign(this.projection, building.checkpoint, await eventStore.head(), eventStore)) !== null) {
      await readStore.abandonBuild(name, building.version);
      observer.abandoned(building);
      return false;
    }
    // Where rebuild follows on rebuild, removing is slower than building: the store would fill up with dead versions.
    if (building.checkpoint === null) await removeOld(this.projection, this.deps, this.session.signal);
    if (this.told !== building.version) observer.building(building, this.reason(building));
    this.told = building.version;
    const follower = new VersionFollower(this.projection, building, this.deps, this.session, {
      onStop: () => undefined,
      onBatch: async ({ version }, { caughtUp }) =>
        caughtUp && (await readStore.activate(name, version)) !== 'behind' ? 'done' : 'go-on',
    });
    if ((await follower.run()) === 'ended') return false;
    const now = await readStore.versions(name);
    if (now.active?.version === building.version) {
      observer.built(now.active);
      return true;
    }
    // Still there, it is also built by another process, which was faster with this commit.
    if (now.building?.version !== building.version) observer.abandoned(follower.version);
    return false;
  }

  private reason({ checkpoint }: ProjectionVersion): BuildReason {
    if (checkpoint !== null) return 'begun before';
    return this.session.versions.active?.declaredVersion === this.projection.declaredVersion
      ? 'asked for'
      : 'other version';
  }
}
