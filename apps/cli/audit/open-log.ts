import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, EventStore, Random } from '@app/event-sourcing';
import { EventStoreDbEventStore } from '@app/stores/eventstoredb';
import { EventLogFormatError, FollowedEventStore, LOG_FILE } from '@app/stores/sqlite';
import { CliError, EXIT } from '../cli-error';
import { dataDirOf, warningOf, pathOf } from '../settings';
import { ServiceEventStore } from './service-event-store';

export interface OpenLogDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export const LOG_OPTION = { log: { type: 'string' } } as const;

export const LOG_HELP = `--log is a folder with an event log, the https:// URL of a running service (with AUDITOR_TOKEN), or an esdb:// URL (streams
with STREAM_PREFIX). Without it: EVENTSTORE_URL, or the folder DATA_DIR (./data by default).`;

const SERVICE = /^https?:\/\//;
const EVENT_STORE = /^(esdb|kurrentdb)(\+discover)?:\/\//;

/**
 * Opens a log for reading alone, up to its end at this moment: a folder, beside a running service too, a running
 * service, or an EventStoreDB.
 *
 * @param location a folder, or an `esdb://`, `https://` or `http://` URL; undefined for the one that the service would use.
 * @throws CliError that names what cannot be read, and why.
 */
export function openLog(location: string | undefined, deps: OpenLogDependencies): EventStore {
  const given = locationOf(location, deps.environment);
  if (SERVICE.test(given)) return openService(given, deps);
  const directory = logFolder(location, deps.environment);
  if (directory === null) return openEventStoreDb(given, deps);
  try {
    statSync(join(directory, LOG_FILE));
    return FollowedEventStore.openReadOnly(directory, deps.clock);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') throw new CliError(`There is no event log in ${directory}.`);
    if (error instanceof EventLogFormatError) throw new UnreadableLogError(message);
    throw new UnreadableLogError(`${directory} can't be read: ${message}`);
  }
}

function openService(url: string, { clock, environment }: OpenLogDependencies): EventStore {
  if (!URL.canParse(url)) throw new CliError(`${url} is no URL.`, EXIT.usage);
  const token = environment['AUDITOR_TOKEN'];
  if (!token) throw new CliError('Set AUDITOR_TOKEN to the token that the operator of the service gave you.');
  const warning = warningOf(url, "the auditor's token");
  if (warning !== null) process.stderr.write(`${warning}\n`);
  return new ServiceEventStore(url.replace(/\/+$/, ''), token, clock);
}

/** There is a log, and it cannot be read. */
export class UnreadableLogError extends CliError {}

/** The folder that holds the log; null if it is elsewhere. */
export function logFolder(
  location: string | undefined,
  environment: OpenLogDependencies['environment'],
): string | null {
  const given = locationOf(location, environment);
  if (SERVICE.test(given) || EVENT_STORE.test(given)) return null;
  return location === undefined ? given : pathOf(given, environment);
}

function locationOf(location: string | undefined, environment: OpenLogDependencies['environment']): string {
  return location ?? (environment['EVENTSTORE_URL'] || dataDirOf(environment));
}

function openEventStoreDb(connectionString: string, { clock, random, environment }: OpenLogDependencies): EventStore {
  try {
    const streamPrefix = environment['STREAM_PREFIX'] ?? '';
    return EventStoreDbEventStore.open({ connectionString, streamPrefix, clock, random });
  } catch {
    // The client's error quotes the connection string with its password.
    throw new CliError('The esdb:// URL is not a valid connection string, or names a file that does not exist.');
  }
}
