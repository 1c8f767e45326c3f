import { EventStoreDBClient, eventTypeFilter, streamNameFilter } from '@eventstore/db-client';
import type { Play } from './cases';
import { askClient } from './client-cases';

/** `db-client / what`: the official client's result. */
export const dbClient: Play = async (recorder, [, what = '']) => {
  const address = recorder.client.getChannel().getTarget().replace(/^dns:/, '');
  const client = EventStoreDBClient.connectionString(`esdb://${address}?tls=false`);
  const filters = { byType: eventTypeFilter, byStream: streamNameFilter };
  recorder.note('r', await askClient(what, client, filters));
  await client.dispose();
};
