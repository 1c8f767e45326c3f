import { Clock, EventStore, isCompleteVersion, type ProjectionVersion, ReadStore } from '@app/event-sourcing';
import { Injectable } from '@nestjs/common';
import { ProjectionProgress } from './progress';

/** How long a read of a list may wait for events that were stored before it, or for the first status after a start. */
const CATCH_UP_LIMIT_MS = 5_000;

/**
 * A complete version seldom replaces another one: if that happens during several reads in a row, something is wrong.
 */
const READ_TRIES = 3;

/** Reads of lists and balances, which are refused rather than answered incompletely. */
@Injectable()
export class CompleteReads {
  constructor(
    private readonly eventStore: EventStore,
    private readonly readStore: ReadStore,
    private readonly progress: ProjectionProgress,
    private readonly clock: Clock,
  ) {}

  /**
   * A projection may start over at any moment, and a rebuilt version may replace the live one, so a result counts only
   * if it was read from one version that was complete throughout. A process that has just started first waits until it
   * knows the status. A projection that lacks events that have been in the log for long is refused, as when no
   * projector runs.
   *
   * @throws ReadStoreUnavailableError also if the process knows nothing of the projection because the store is
   * unavailable.
   */
  async of<T>(projection: string, read: (readStore: ReadStore) => Promise<T>): Promise<T | 'rebuilding'> {
    await this.settled(projection);
    const isUnknown = this.progress.isOutOfSight(projection);
    if (!isUnknown && this.progress.problem(projection) !== null) return 'rebuilding';
    if (this.progress.isOverdue(projection) && !(await this.standsStill(projection))) return 'rebuilding';
    let before = (await this.readStore.versions(projection)).active;
    for (let tries = 0; tries < READ_TRIES; tries += 1) {
      if (!this.serves(before)) return 'rebuilding';
      const result = await read(this.readStore);
      const after = (await this.readStore.versions(projection)).active;
      // If the checkpoint went back, the store was restarted from an older dump during the read.
      if (!this.serves(after) || isLess(after, before)) return 'rebuilding';
      if (before.version === after.version) return result;
      before = after;
    }
    return 'rebuilding';
  }

  /**
   * Like `of`, but includes everything that was stored before the call. While another release builds the version that
   * will replace the live one, the live one is not updated: then it is read as it is, rather than refused.
   */
  async ofNow<T>(projection: string, read: (readStore: ReadStore) => Promise<T>): Promise<T | 'rebuilding'> {
    if (this.progress.hasStopped(projection)) return 'rebuilding';
    const head = await this.eventStore.head();
    if (head !== null && !(await this.isLeftAlone(projection, head))) {
      const limit = this.clock.deadline(CATCH_UP_LIMIT_MS);
      try {
        await this.progress.reached(projection, head, limit.signal);
        if (limit.signal.aborted && !(await this.isLeftAlone(projection, head))) return 'rebuilding';
      } finally {
        limit.clear();
      }
    }
    return this.of(projection, read);
  }

  /** A version that has stopped may stay so for any time: what it shows is out of date. */
  private serves(version: ProjectionVersion | null): version is ProjectionVersion {
    return (
      version !== null && isCompleteVersion(version) && version.stop === null && !this.progress.hasFallenBack(version)
    );
  }

  private async settled(projection: string): Promise<void> {
    if (this.progress.isSettled(projection)) return;
    const limit = this.clock.deadline(CATCH_UP_LIMIT_MS);
    await this.progress.settled(projection, limit.signal);
    limit.clear();
  }

  private async isLeftAlone(projection: string, head: bigint): Promise<boolean> {
    return !this.progress.isAt(projection, head) && (await this.standsStill(projection));
  }

  private async standsStill(projection: string): Promise<boolean> {
    const { active, building } = await this.readStore.versions(projection);
    return active !== null && building !== null && active.declaredVersion !== building.declaredVersion;
  }
}

function isLess(one: ProjectionVersion, other: ProjectionVersion): boolean {
  return one.version === other.version && (one.checkpoint?.position ?? -1n) < (other.checkpoint?.position ?? -1n);
}
