import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadModels, StoredVersion } from './read-models';

/** The phases of a rebuild, in order. */
export const PHASES = ['being built', 'caught up', 'switched to', 'replaced version being removed'] as const;
export type Phase = (typeof PHASES)[number];

const CAUGHT_WITHIN_MS = 120_000;

/** As a share of the log. */
const NEARLY = 0.5;

/** Watches the rebuild of a projection or partition, write by write. */
export class RebuildWatch {
  /** How much of the replaced version was left before its removal began. */
  private mostLeftovers = 0;

  constructor(
    private readonly readModels: ReadModels,
    readonly projection: string,
    readonly version: number,
  ) {}

  /**
   * Blocks all writers from the moment when the rebuild is in the phase, until `letGo`.
   *
   * @returns the version at that moment; null if the phase passed unnoticed between two writes, and no writer is
   * blocked.
   */
  async holdIn(phase: Phase): Promise<StoredVersion | null> {
    const wanted = PHASES.indexOf(phase);
    const deadline = Date.now() + CAUGHT_WITHIN_MS;
    let seen = await this.look();
    for (; Date.now() < deadline; seen = await this.look()) {
      if (seen.place > wanted) return null;
      // "Caught up" lasts only a moment: towards the end the rebuild is watched from write to write.
      if (seen.place === wanted || (phase === 'caught up' && isNearlyThere(seen.version))) {
        await this.readModels.hold();
        const { place, version } = await this.look();
        if (version !== null && place === wanted) return version;
        await this.readModels.letGo();
      }
      // Lets the writers continue.
      await sleep(1);
    }
    throw new Error(`${this.projection} was never ${phase}: ${JSON.stringify(seen)}`);
  }

  /** The current phase as its index; -1 before there is anything to see. */
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
