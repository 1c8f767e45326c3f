import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { EventStoreProcess } from './event-store-process';

const { TEST_EVENT_STORE, EVENTSTORE_URL: GIVEN_URL } = process.env;

/** How a service reaches its event store, as variables for its process. */
export interface EventStoreAccess {
  readonly EVENTSTORE_URL: string;
  readonly STREAM_PREFIX: string;
}

/** One log for each data folder, for as long as the folder is there: the services on it come and go, and are killed. */
const processes = new Map<string, Promise<EventStoreProcess>>();
const prefixes = new Map<string, string>();

/**
 * The event store of the services on this folder; null where they use the embedded log. It is a process of its own, unless
 * `EVENTSTORE_URL` names a server, in which the folder has a stream prefix of its own. What it writes there stays.
 */
export async function eventStoreOf(dataDir: string): Promise<EventStoreAccess | null> {
  if (TEST_EVENT_STORE !== 'eventstoredb') return null;
  if (GIVEN_URL !== undefined) {
    const prefix = prefixes.get(dataDir) ?? `test-${randomUUID()}.`;
    prefixes.set(dataDir, prefix);
    return { EVENTSTORE_URL: GIVEN_URL, STREAM_PREFIX: prefix };
  }
  const starting = processes.get(dataDir) ?? startFor(dataDir);
  processes.set(dataDir, starting);
  return { EVENTSTORE_URL: (await starting).url, STREAM_PREFIX: '' };
}

/** Where the event store of the services on this folder keeps its log, when it is a process of our own. */
export function eventStoreFolder(dataDir: string): string {
  return join(dataDir, 'eventstore');
}

/** The access to a server that was running already; null where the log of the folder lies in a file. */
export async function givenEventStoreOf(dataDir: string): Promise<EventStoreAccess | null> {
  return GIVEN_URL === undefined ? null : eventStoreOf(dataDir);
}

/**
 * Ends the event store of the services on this folder; without it they have none any more.
 *
 * @throws an Error when it has logged one: nothing that a test of ours does may lead to that.
 */
export async function endEventStoreOf(dataDir: string): Promise<void> {
  const eventStore = await processes.get(dataDir);
  processes.delete(dataDir);
  await eventStore?.kill();
  if (eventStore !== undefined && eventStore.errors.length > 0) {
    throw new Error(`The event store has logged errors:\n${eventStore.errors.join('\n')}`);
  }
}

async function startFor(dataDir: string): Promise<EventStoreProcess> {
  const folder = eventStoreFolder(dataDir);
  mkdirSync(folder, { recursive: true });
  return EventStoreProcess.start({ dataDir: folder });
}
