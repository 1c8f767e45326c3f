import { Clock, EventStore, isCompleteVersion, type ProjectionVersion, ReadStore } from '@app/event-sourcing';
import { Injectable } from '@nestjs/common';
import { ProjectionProgress } from './progress';

/** How long a list may wait for what was stored before it was asked for, or for what there is after a start. */
const CATCH_UP_LIMIT_MS = 5_000;

/** One whole version seldom takes another one's place: that it happens in the middle of a read again and again is a fault. */
const READ_TRIES = 3;

/** Reads that would rather answer nothing than a part: lists and balances. */
@Injectable()
export class CompleteReads {
  constructor(
    private readonly eventStore: EventStore,
    private readonly readStore: ReadStore,
    private readonly progress: ProjectionProgress,
    private readonly clock: Clock,
  ) {}

  /**
   * A projection may start over at any moment, and a rebuilt version take the place of the one that is read: what was read counts
   * only if it was of one version, whole all along. A process that has just been started waits until it knows what there is. What
   * lacks something that is long in the log is refused, as when nobody follows the log any more.
   *
   * @throws ReadStoreUnavailableError also where the process knows nothing of the projection as the store is away.
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
      // Less far than before, the store was restarted with an older dump this very moment.
      if (!this.serves(after) || isLess(after, before)) return 'rebuilding';
      if (before.version === after.version) return result;
      before = after;
    }
    return 'rebuilding';
  }

  /**
   * The same, of everything that was stored before the call. Where another release is just building the version that will be
   * read, nobody goes on with the one that is there: then it is that one, as it is, rather than nothing.
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

  /** One that has stopped at an event stands still, nobody knows for how long: what it shows is no longer what is. */
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
