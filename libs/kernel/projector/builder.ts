import type { Projection } from '../projection';
import type { ProjectionVersion } from '../read-store';
import { beginBuildOfOurs, whyForeign } from './open-version';
import type { BuildReason, ProjectorDependencies } from './ports';
import { removeOld } from './removal';
import type { Round } from './round';
import { StandingStill } from './standing-still';
import { VersionFollower } from './version-follower';

/** Builds versions beside the one that is read, whoever has begun them: this process before a restart, or an operator in any other. */
export class Builder {
  /** The version that the observer has heard of. */
  private told: number | null = null;

  constructor(
    private readonly projection: Projection,
    private readonly deps: ProjectorDependencies,
    private readonly round: Round,
    private readonly startedAtMs: number,
  ) {}

  /** Until the round ends. It ends it when what it has built is the version that is read. */
  async run(): Promise<void> {
    const { round, deps } = this;
    const standing = new StandingStill(deps.clock);
    while (!round.signal.aborted) {
      const { building } = round.versions;
      if (building?.codeHash === deps.codeHash) {
        if (await this.build(building)) return round.end();
      } else if (building !== null && this.isForUs(building, standing)) {
        await beginBuildOfOurs(this.projection, deps);
      }
      await round.nextLook();
    }
  }

  /**
   * What other code builds is for a newer release, or for a process of the older one that an operator has asked: unless that one
   * goes on with it, it is built by this code instead.
   */
  private isForUs(building: ProjectionVersion, standing: StandingStill): boolean {
    return building.startedAtMs <= this.startedAtMs || standing.isLeftBehind(building);
  }

  /** Whether it was built, and took the place of the one that was read. */
  private async build(building: ProjectionVersion): Promise<boolean> {
    const { eventStore, readStore, observer } = this.deps;
    const { name } = this.projection;
    if ((await whyForeign(building.checkpoint, await eventStore.head(), eventStore)) !== null) {
      await readStore.abandonBuild(name, building.version);
      observer.abandoned(building);
      return false;
    }
    // Where rebuild follows on rebuild, removing is slower than building: the store would fill up with dead versions.
    if (building.checkpoint === null) await removeOld(this.projection, this.deps, this.round.signal);
    if (this.told !== building.version) observer.building(building, this.reason(building));
    this.told = building.version;
    const follower = new VersionFollower(this.projection, building, this.deps, this.round, {
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
    return this.round.versions.active?.codeHash === this.deps.codeHash ? 'asked for' : 'other code';
  }
}
