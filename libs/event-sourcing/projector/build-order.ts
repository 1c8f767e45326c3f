import type { Clock } from '../environment';
import type { Projection } from '../projection';

/**
 * How often a waiting projection checks whether it is its turn, in ms. Long enough that all projections that were lost
 * together have called `turn` before the first check.
 */
const LOOK_EVERY_MS = 100;

/**
 * The order in which a process rebuilds lost projections: pure to-do lists first, since work waits for them, then
 * projections with a to-do list and views, then pure views. Complete versions never wait: they are always kept up to
 * date.
 */
export class BuildOrder {
  /** The rank of each projection that is being built, by name. */
  private readonly building = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  /**
   * Resolves once this process builds nothing more urgent, or `signal` is aborted. The projection counts as being built
   * from this call until `done`.
   */
  async turn(projection: Projection, signal: AbortSignal): Promise<void> {
    const rank = rankOf(projection);
    this.building.set(projection.name, rank);
    if (rank === 0) return;
    do await this.clock.sleep(LOOK_EVERY_MS, signal);
    while (!signal.aborted && [...this.building.values()].some((other) => other < rank));
  }

  /** The projection is complete, has stopped, or is no longer followed. */
  done(projection: Projection): void {
    this.building.delete(projection.name);
  }
}

function rankOf({ collections }: Projection): number {
  const isList = (collection: object): boolean => 'due' in collection;
  if (collections.every(isList)) return 0;
  return collections.some(isList) ? 1 : 2;
}
