import { EXPORT_FORMATS, exportBooks, type ExportFormatName } from '@app/audit/books/export-books';
import { damageText } from '@app/audit/books/export-format';
import { MAX_DAMAGED_STREAMS } from '@app/audit/checked-events';
import { type Damage, DamagedHistoryError, EventStoreUnavailableError } from '@app/event-sourcing';
import { readArguments } from '../arguments';
import { CliError, EXIT } from '../cli-error';
import { grouped } from '../table';
import { pathOf } from '../settings';
import type { AuditContext } from './index';
import { assertUninterrupted, interruptibly } from './interruption';
import { LOG_HELP, LOG_OPTION, openLog } from './open-log';
import { writeToFile, writeToStdout } from './text-destination';
import { TIME_HELP, timeOption } from './time-option';

const FORMATS = Object.keys(EXPORT_FORMATS).join('|');

export const EXPORT_USAGE = `  counterfoil audit export --format ${FORMATS}
                    [--from <time>] [--to <time>] [--merchant <id>] [--log <log>] [--out <file>]
      Writes the journal of all merchants, or of one, to standard output or to a file, which is whole or not there. --from is
      inclusive and begins with opening balances, --to is exclusive. ${TIME_HELP}
      Checks every payment's chain of hashes on the way: a damaged stream is named, left out from there on, and the exit code is 1.
      ${LOG_HELP.replace('\n', '\n      ')}`;

/** @throws CliError */
export async function exportCommand(args: readonly string[], context: AuditContext): Promise<void> {
  const options = { format: { type: 'string' }, out: { type: 'string' }, ...SELECTION_OPTIONS, ...LOG_OPTION } as const;
  const { values } = readArguments(args, options, [], `Usage:\n${EXPORT_USAGE}`);
  if (values.format === undefined || !Object.hasOwn(EXPORT_FORMATS, values.format)) {
    throw new CliError(`--format must be one of ${FORMATS.replaceAll('|', ', ')}.`, EXIT.usage);
  }
  const [from, to] = [timeOption('from', values.from), timeOption('to', values.to)];
  if (from !== undefined && to !== undefined && from >= to) {
    throw new CliError('--to must be later than --from: it is the first moment that is no longer meant.', EXIT.usage);
  }
  const format = EXPORT_FORMATS[values.format as ExportFormatName]();
  const eventStore = openLog(values.log, context);
  const damages = new DamageReport();
  try {
    await interruptibly(async (signal) => {
      const selection = { from, to, merchantId: values.merchant };
      const text = exportBooks(eventStore, format, selection, { signal, onDamage: (damage) => damages.add(damage) });
      if (values.out === undefined) await writeToStdout(text);
      else await writeToFile(pathOf(values.out, context.environment), text, signal);
      assertUninterrupted(signal, values.out === undefined ? 'the export is not whole.' : 'nothing was written.');
    });
  } catch (error) {
    throw readError(error);
  } finally {
    await eventStore.close();
  }
  damages.conclude('The export');
}

export const SELECTION_OPTIONS = {
  from: { type: 'string' },
  to: { type: 'string' },
  merchant: { type: 'string' },
} as const;

/** Names damaged streams on standard error as they are found. */
export class DamageReport {
  private count = 0;

  add(damage: Damage): void {
    this.count += 1;
    process.stderr.write(`${damageText(damage)}: ${damage.reason.replace(/[^\x20-\x7e]/g, '?')}\n`);
  }

  /** @throws CliError if there was any damage. */
  conclude(what: string): void {
    if (this.count === 0) return;
    const streams = this.count === 1 ? 'one damaged stream' : `${grouped(this.count)} damaged streams`;
    throw new CliError(`${what} is incomplete: it leaves out parts of ${streams}.`);
  }
}

/** What reading a log may fail with, in words. */
export function readError(error: unknown): unknown {
  if (error instanceof EventStoreUnavailableError) return new CliError(`The log could not be read: ${error.message}`);
  if (error instanceof DamagedHistoryError) {
    return new CliError(`More than ${grouped(MAX_DAMAGED_STREAMS)} streams are damaged: this log can't be used.`);
  }
  return error;
}
