import type { Projection } from '../projection';
import type { ProjectionVersion } from '../read-store';
import { beginBuildOfOurs, whyForeign } from './open-version';
import type { BuildReason, ProjectorDependencies } from './ports';
import { removeOld } from './removal';
import type { ProjectionSession } from './projection-session';
import { isLeftToUs, StallDetector } from './stall-detector';
import { VersionFollower } from './version-follower';

/**
 * Builds versions beside the live one, whoever started them: this process before a restart, or an operator anywhere.
 */
export class Builder {
  /** The version that was reported to the observer. */
  private told: number | null = null;

  constructor(
    private readonly projection: Projection,
    private readonly deps: ProjectorDependencies,
    private readonly session: ProjectionSession,
  ) {}

  /** Runs until the session ends. Ends it itself when the version it has built is live. */
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
   * A build for a later declared version belongs to a newer release, unless it is abandoned. A build for an earlier one
   * was started by an operator in an older release; this release's version replaces it, since it will be needed.
   */
  private isForUs(building: ProjectionVersion, stall: StallDetector): boolean {
    return building.declaredVersion < this.projection.declaredVersion || isLeftToUs(building, stall, this.deps);
  }

  /** Whether the build was completed and is now live. */
  private async build(building: ProjectionVersion): Promise<boolean> {
    const { eventStore, readStore, observer } = this.deps;
    const { name } = this.projection;
    if ((await whyForeign(this.projection, building.checkpoint, await eventStore.head(), eventStore)) !== null) {
      await readStore.abandonBuild(name, building.version);
      observer.abandoned(building);
      return false;
    }
    // Removing is slower than building: with one rebuild after another, the store would fill up with dead versions.
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
    // If it still exists, another process builds it too and was faster with this commit.
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
