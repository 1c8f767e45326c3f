import { projectionRepairDecider, projectionStreamId } from '@app/domain/projection-repair';
import { type EventStore, readEvent } from '@app/kernel';
import { wholeProjectionName } from './administration/units';

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
  const { initialState, evolve, schemas } = projectionRepairDecider;
  const recorded = await eventStore.readStream(projectionStreamId(wholeProjectionName(projection)));
  return recorded.map((event) => readEvent(event, schemas)).reduce(evolve, initialState);
}
