import { projectionRepairDecider, projectionStreamId } from '@app/domain/projection-repair';
import type { CommandHandling } from '@app/kernel';
import { wholeProjectionName } from './administration/units';

/**
 * Ids of the events that the operator has had the projection skip, read from the log: what every rebuild repeats. A partition
 * skips what its whole projection does.
 *
 * @throws EventStoreUnavailableError
 */
export async function skippedEvents(handling: CommandHandling, projection: string): Promise<ReadonlySet<string>> {
  const streamId = projectionStreamId(wholeProjectionName(projection));
  return (await handling.load(projectionRepairDecider, streamId)).state;
}
