import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Clock, EventStore, Random } from '@app/event-sourcing';
import { EventStoreDbEventStore } from '@app/stores/eventstoredb';
import { EventLogFormatError, FollowedEventStore, LOG_FILE } from '@app/stores/sqlite';
import { CliError, EXIT } from '../cli-error';
import { dataDirOf, warningOf } from '../settings';
import { ServiceEventStore } from './service-event-store';

export interface OpenLogDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export const LOG_OPTION = { log: { type: 'string' } } as const;

export const LOG_HELP = `--log is a folder with an event log, the https:// URL of a running service (with AUDITOR_TOKEN), or an esdb:// URL (streams
with STREAM_PREFIX). Without it: EVENTSTORE_URL, or the folder DATA_DIR (./data by default).`;

/**
 * Opens a log for reading alone, up to its end at this moment: a folder, beside a running service too, a running
 * service, or an EventStoreDB.
 *
 * @param location a folder, or an `esdb://`, `https://` or `http://` URL; undefined for the one that the service would use.
 * @throws CliError that names what cannot be read, and why.
 */
export function openLog(location: string | undefined, deps: OpenLogDependencies): EventStore {
  const { environment } = deps;
  const given = location ?? (environment['EVENTSTORE_URL'] || dataDirOf(environment));
  if (/^(esdb|kurrentdb)(\+discover)?:\/\//.test(given)) return openEventStoreDb(given, deps);
  if (/^https?:\/\//.test(given)) return openService(given, deps);
  // npm runs scripts in the package's directory and passes the caller's directory in INIT_CWD.
  const directory = location === undefined ? given : resolve(environment['INIT_CWD'] ?? '.', given);
  if (!existsSync(join(directory, LOG_FILE))) throw new CliError(`There is no event log in ${directory}.`);
  try {
    return FollowedEventStore.openReadOnly(directory, deps.clock);
  } catch (error) {
    if (error instanceof EventLogFormatError) throw new CliError(error.message);
    throw new CliError(`${directory} can't be read: ${(error as Error).message}`);
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

function openEventStoreDb(connectionString: string, { clock, random, environment }: OpenLogDependencies): EventStore {
  try {
    const streamPrefix = environment['STREAM_PREFIX'] ?? '';
    return EventStoreDbEventStore.open({ connectionString, streamPrefix, clock, random });
  } catch {
    // The client's error quotes the connection string with its password.
    throw new CliError('The esdb:// URL is not a valid connection string, or names a file that does not exist.');
  }
}
