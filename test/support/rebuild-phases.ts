import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadModels, StoredVersion } from './read-models';

/** What a rebuild goes through, in this order. */
export const PHASES = ['being built', 'caught up', 'switched to', 'replaced version being removed'] as const;
export type Phase = (typeof PHASES)[number];

const CAUGHT_WITHIN_MS = 120_000;

/** Of the way through the log. */
const NEARLY = 0.5;

/** Watches the rebuild of a projection, or of a part of one, write by write. */
export class RebuildWatch {
  /** What the replaced version had left before any of it was removed. */
  private mostLeftovers = 0;

  constructor(
    private readonly readModels: ReadModels,
    readonly projection: string,
    readonly version: number,
  ) {}

  /**
   * Lets nobody write from the moment on in which the rebuild is in the phase, until `letGo`.
   *
   * @returns the version as it is then; null where it has gone past the phase, unseen between two writes, and nobody is held.
   */
  async holdIn(phase: Phase): Promise<StoredVersion | null> {
    const wanted = PHASES.indexOf(phase);
    const deadline = Date.now() + CAUGHT_WITHIN_MS;
    let seen = await this.look();
    for (; Date.now() < deadline; seen = await this.look()) {
      if (seen.place > wanted) return null;
      // It has caught up for no longer than it takes to say so: towards the end it is watched from write to write.
      if (seen.place === wanted || (phase === 'caught up' && isNearlyThere(seen.version))) {
        await this.readModels.hold();
        const { place, version } = await this.look();
        if (version !== null && place === wanted) return version;
        await this.readModels.letGo();
      }
      // Writers get their turn.
      await sleep(1);
    }
    throw new Error(`${this.projection} was never ${phase}: ${JSON.stringify(seen)}`);
  }

  /** In which phase it is, as its place among all; -1 before it has anything. */
  private async look(): Promise<{ readonly version: StoredVersion | null; readonly place: number }> {
    const versions = await this.readModels.versionsOf(this.projection);
    const version = versions.find((one) => one.version === this.version);
    if (version === undefined) throw new Error(`Version ${this.version} of ${this.projection} is gone`);
    const { isActive, position, completeFrom } = version;
    const placeOf = (phase: Phase) => ({ version, place: PHASES.indexOf(phase) });
    if (!isActive && position === null) return { version: null, place: -1 };
    if (!isActive) return placeOf((position ?? 0) < completeFrom ? 'being built' : 'caught up');
    const leftovers = await this.readModels.leftovers(this.projection);
    this.mostLeftovers = Math.max(this.mostLeftovers, leftovers);
    if (leftovers === 0) return { version: null, place: PHASES.length };
    return placeOf(leftovers === this.mostLeftovers ? 'switched to' : 'replaced version being removed');
  }
}

function isNearlyThere(version: StoredVersion | null): boolean {
  return version !== null && (version.position ?? 0) > version.completeFrom * NEARLY;
}
