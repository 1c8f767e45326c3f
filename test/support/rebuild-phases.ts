import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadModels, StoredVersion } from './read-models';

/** What a rebuild goes through, in this order. */
export const PHASES = ['being built', 'caught up', 'switched to', 'replaced version being removed'] as const;
export type Phase = (typeof PHASES)[number];

const CAUGHT_WITHIN_MS = 60_000;

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
    const deadline = Date.now() + CAUGHT_WITHIN_MS;
    while (Date.now() < deadline) {
      await this.readModels.hold();
      const { version, passed } = await this.look();
      if (version !== null && passed === PHASES.indexOf(phase)) return version;
      await this.readModels.letGo();
      if (passed > PHASES.indexOf(phase)) return null;
      // Writers get their turn.
      await sleep(1);
    }
    throw new Error(`${this.projection} was never ${phase}`);
  }

  /** In which phase it is, as its place among all; -1 before it has anything. */
  private async look(): Promise<{ readonly version: StoredVersion | null; readonly passed: number }> {
    const versions = await this.readModels.versions();
    const ours = versions.find((one) => one.projection === this.projection && one.version === this.version);
    if (ours === undefined) throw new Error(`Version ${this.version} of ${this.projection} is gone`);
    if (!ours.isActive) {
      if (ours.position === null) return { version: null, passed: -1 };
      return { version: ours, passed: PHASES.indexOf(ours.position < ours.completeFrom ? 'being built' : 'caught up') };
    }
    const leftovers = await this.readModels.leftovers(this.projection);
    this.mostLeftovers = Math.max(this.mostLeftovers, leftovers);
    if (leftovers === 0) return { version: null, passed: PHASES.length };
    const isWhole = leftovers === this.mostLeftovers;
    return { version: ours, passed: PHASES.indexOf(isWhole ? 'switched to' : 'replaced version being removed') };
  }
}
