import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { EventStoreProcess } from './event-store-process';

const { TEST_EVENT_STORE, EVENTSTORE_URL: GIVEN_URL } = process.env;

/** How a service reaches its event store, as environment variables. */
export interface EventStoreAccess {
  readonly EVENTSTORE_URL: string;
  readonly STREAM_PREFIX: string;
}

/** One log per data folder, as long as the folder exists: the services on it start, end and are killed. */
const processes = new Map<string, Promise<EventStoreProcess>>();
const prefixes = new Map<string, string>();

/**
 * The event store of the services on this folder; null if they use the embedded log. It is a separate process, unless
 * `EVENTSTORE_URL` names a server; there the folder has its own stream prefix, and what it writes remains.
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

/** The data folder of this folder's event store, if it is a process started here. */
export function eventStoreFolder(dataDir: string): string {
  return join(dataDir, 'eventstore');
}

/** The access to an already running server; null if the folder's log is in a file. */
export async function givenEventStoreOf(dataDir: string): Promise<EventStoreAccess | null> {
  return GIVEN_URL === undefined ? null : eventStoreOf(dataDir);
}

/**
 * Ends the event store of the services on this folder, which then have none.
 *
 * @throws an Error if it has logged an error; no test may cause any.
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
