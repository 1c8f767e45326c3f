import { once } from 'node:events';
import { isStreamOfOurs } from '@app/audit/own-streams';
import { DELETION, type RecordedEvent } from '@app/event-sourcing';
import { readArguments } from '../arguments';
import { logPages } from './log-pages';
import { LOG_HELP, LOG_OPTION, openLog, type OpenLogDependencies } from './open-log';

export const DUMP_USAGE = `  counterfoil audit dump [--log <log>]
      Prints the stored events of the service, seals too, as JSON lines in the order of the log, for programs of your
      own. docs/audit.md describes them. ${LOG_HELP}`;

/** @throws CliError */
export async function dumpCommand(args: readonly string[], deps: OpenLogDependencies): Promise<void> {
  const { values } = readArguments(args, LOG_OPTION, [], `Usage:\n${DUMP_USAGE}`);
  const store = openLog(values.log, deps);
  try {
    for await (const { events } of logPages(store, null)) {
      const text = events.filter(isDumped).map(lineOf).join('');
      if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
    }
  } finally {
    await store.close();
  }
}

function isDumped({ streamId, type }: RecordedEvent): boolean {
  return type !== DELETION && isStreamOfOurs(streamId);
}

function lineOf({ position, streamId, revision, id, type, data, metadata }: RecordedEvent): string {
  return `${JSON.stringify({ position: String(position), streamId, revision, id, type, data, metadata })}\n`;
}
