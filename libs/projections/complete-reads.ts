import { Clock, EventStore, isCompleteVersion, ReadStore } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { isBehind, ProjectionProgress } from './progress';

/** How long a list may wait for what was stored before it was asked for. */
const CATCH_UP_LIMIT_MS = 5_000;

/** Reads that would rather answer nothing than a part: lists and balances. */
@Injectable()
export class CompleteReads {
  constructor(
    private readonly eventStore: EventStore,
    private readonly readStore: ReadStore,
    private readonly progress: ProjectionProgress,
    private readonly clock: Clock,
  ) {}

  /** A projection may start over at any moment: what was read counts only if its version was whole all along. */
  async of<T>(projection: string, read: (readStore: ReadStore) => Promise<T>): Promise<T | 'rebuilding'> {
    if (!this.progress.isComplete(projection)) return 'rebuilding';
    const furthest = this.progress.furthest(projection);
    const before = await this.readStore.active(projection);
    // The store was restarted with an older dump this very moment.
    if (before !== null && isBehind(before, furthest)) return 'rebuilding';
    const result = await read(this.readStore);
    const after = await this.readStore.active(projection);
    const isWhole = [before, after].every((version) => version !== null && isCompleteVersion(version));
    return isWhole && before?.version === after?.version ? result : 'rebuilding';
  }

  /** The same, of everything that was stored before the call. */
  async ofNow<T>(projection: string, read: (readStore: ReadStore) => Promise<T>): Promise<T | 'rebuilding'> {
    const head = await this.eventStore.head();
    if (head !== null) {
      const limit = this.clock.deadline(CATCH_UP_LIMIT_MS);
      try {
        await this.progress.reached(projection, head, limit.signal);
        if (limit.signal.aborted) return 'rebuilding';
      } finally {
        limit.clear();
      }
    }
    return this.of(projection, read);
  }
}
