import { type EventStore, EventStoreUnavailableError, isoTime } from '@app/event-sourcing';
import type { AsOf } from '@app/audit/replay/as-of';
import type { Damage } from '@app/event-sourcing';
import { CliError, EXIT } from '../cli-error';
import type { AuditContext } from '.';
import { openLog } from './open-log';

/** Opens the log, reads from it and closes it. @throws CliError if it cannot be read. */
export async function readingLog<T>(
  location: string | undefined,
  context: AuditContext,
  read: (eventStore: EventStore) => Promise<T>,
): Promise<T> {
  const eventStore = openLog(location, context);
  try {
    return await read(eventStore);
  } catch (error) {
    if (!(error instanceof EventStoreUnavailableError)) throw error;
    throw new CliError(`The log can't be read: ${error.message}`, EXIT.unreachable);
  } finally {
    await eventStore.close();
  }
}

/** The exit of a command that showed less than it was asked for. */
export function damaged(what: string, damages: readonly Damage[]): CliError {
  const lines = damages.map(({ streamId, revision, kind, reason }) => `  ${streamId}@${revision} ${kind}: ${reason}`);
  return new CliError([what, ...lines].join('\n'), EXIT.damaged);
}

export function describeAsOf(asOf: AsOf): string {
  switch (asOf.kind) {
    case 'end':
      return 'at the end of the log';
    case 'time':
      return `as of ${isoTime(asOf.ms)}`;
    case 'position':
      return `as of position ${asOf.position}`;
  }
}
