import { projectionRepairDecider, type ProjectionRepairEvent, projectionStreamId } from './repair';
import { type EventStore, readHistory } from '@app/event-sourcing';
import { wholeName } from './partitions';

/**
 * Ids of the events that the operator has skipped, read from the log, since every rebuild skips them again. A partition
 * skips what its whole projection skips. There are few: each one was skipped by hand.
 *
 * @throws EventStoreUnavailableError, DamagedHistoryError
 */
export async function skippedEvents(
  eventStore: Pick<EventStore, 'readStream'>,
  projection: string,
): Promise<ReadonlySet<string>> {
  const recorded = await eventStore.readStream(projectionStreamId(wholeName(projection)));
  const { schemas, initialState, passesOverForeign } = projectionRepairDecider;
  const events = readHistory<ProjectionRepairEvent>(recorded, schemas, { passesOverForeign });
  return events.reduce((skipped, event) => projectionRepairDecider.evolve(skipped, event), initialState);
}
