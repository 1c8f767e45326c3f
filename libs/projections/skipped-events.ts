import { projectionRepairDecider, type ProjectionRepairEvent, projectionStreamId } from '@app/domain/projection-repair';
import { type EventStore, readEvent } from '@app/kernel';
import { wholeName } from './partitions';

/**
 * Ids of the events that the operator has had the projection skip, read from the log: what every rebuild repeats. A partition
 * skips what its whole projection does. They are few: each was looked at by somebody.
 *
 * @throws EventStoreUnavailableError
 */
export async function skippedEvents(
  eventStore: Pick<EventStore, 'readStream'>,
  projection: string,
): Promise<ReadonlySet<string>> {
  const recorded = await eventStore.readStream(projectionStreamId(wholeName(projection)));
  let skipped = projectionRepairDecider.initialState;
  for (const event of recorded) {
    const read = readEvent<ProjectionRepairEvent>(event, projectionRepairDecider.schemas);
    skipped = projectionRepairDecider.evolve(skipped, read);
  }
  return skipped;
}
