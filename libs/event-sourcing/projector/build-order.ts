import type { Clock } from '../environment';
import type { Projection } from '../projection';

/** How often those who wait look whether it is their turn, in ms. All that were lost at once have asked for it by the first look. */
const LOOK_EVERY_MS = 100;

/**
 * In which order a process builds what was lost: to-do lists first, since work waits for them, then what holds a to-do list beside
 * views, then what is only read. Whoever waits has nothing that is read yet; what is whole is followed on at any time.
 */
export class BuildOrder {
  /** Those that are being built, each with its rank. */
  private readonly building = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  /**
   * Resolves once nothing more urgent is being built here, or `signal` is aborted. The projection then counts as being built until it
   * is `done`.
   */
  async turn(projection: Projection, signal: AbortSignal): Promise<void> {
    const rank = rankOf(projection);
    this.building.set(projection.name, rank);
    if (rank === 0) return;
    do await this.clock.sleep(LOOK_EVERY_MS, signal);
    while (!signal.aborted && [...this.building.values()].some((other) => other < rank));
  }

  /** It is whole, has stopped, or is left. */
  done(projection: Projection): void {
    this.building.delete(projection.name);
  }
}

function rankOf({ collections }: Projection): number {
  const isList = (collection: object): boolean => 'due' in collection;
  if (collections.every(isList)) return 0;
  return collections.some(isList) ? 1 : 2;
}
