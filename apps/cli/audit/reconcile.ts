import { createReadStream, readFileSync } from 'node:fs';
import { journalRecords } from '@app/audit/books/journal-records';
import { ReportFormatError } from '@app/audit/reconciliation/csv-rows';
import { type CurrencyTotal, type Finding, movementOf, Reconciliation } from '@app/audit/reconciliation/reconciliation';
import { readMapping, reportedMovements, type ReportMapping, SANDBOX_MAPPING } from '@app/audit/reconciliation/report';
import { type Currency, formatAmount } from '@app/money';
import { readArguments } from '../arguments';
import { CliError } from '../cli-error';
import { grouped, table } from '../table';
import { pathOf } from '../settings';
import { DamageReport, readError, SELECTION_OPTIONS } from './export';
import type { AuditContext } from './index';
import { assertUninterrupted, interruptibly } from './interruption';
import { LOG_OPTION, openLog } from './open-log';
import { timeOption } from './time-option';

export const RECONCILE_USAGE = `  counterfoil audit reconcile <file> [--map <file>] [--from <time>] [--to <time>] [--merchant <id>] [--log <log>]
      Matches a processor's settlement report (CSV) with what the log says was captured, refunded and disputed, by transaction id.
      Prints a line for each transaction that is missing here or there, or whose amount or fee differs, then totals by currency. Exit
      code 1 if anything differs. --map is a JSON file that names the report's columns: reference, currency, amount, and fee, type,
      takenTypes, delimiter where there are any. Without it: as in the sandbox's report. --from and --to limit the log's side.`;

/** @throws CliError */
export async function reconcileCommand(args: readonly string[], context: AuditContext): Promise<void> {
  const options = { map: { type: 'string' }, ...SELECTION_OPTIONS, ...LOG_OPTION } as const;
  const { values, positionals } = readArguments(args, options, ['file'], `Usage:\n${RECONCILE_USAGE}`);
  const path = (name: string) => pathOf(name, context.environment);
  const mapping = values.map === undefined ? SANDBOX_MAPPING : mappingIn(path(values.map));
  const period = { from: timeOption('from', values.from), to: timeOption('to', values.to) };
  const report = path(positionals[0] ?? '');
  const eventStore = openLog(values.log, context);
  const damages = new DamageReport();
  const reconciliation = new Reconciliation();
  try {
    await interruptibly(async (signal) => {
      const text = createReadStream(report, { encoding: 'utf8', signal });
      for await (const movement of reportedMovements(text, mapping)) reconciliation.there(movement);
      for await (const records of journalRecords(eventStore, { ...period, merchantId: values.merchant })) {
        assertUninterrupted(signal, 'nothing was compared.');
        for (const record of records) {
          if (record.kind === 'damage') damages.add(record.damage);
          const movement = record.kind === 'entry' ? movementOf(record.entry) : null;
          if (movement !== null) reconciliation.here(movement);
        }
      }
    });
    for (const finding of reconciliation.findings()) context.output.line(describe(finding));
    const totals = reconciliation.totals();
    context.output.line(describeTotals(totals));
    damages.conclude('The comparison');
    const differing = totals.reduce((sum, total) => sum + total.differing, 0n);
    if (differing > 0n) throw new CliError(`${grouped(String(differing))} transactions differ.`);
  } catch (error) {
    throw reportError(error, report);
  } finally {
    reconciliation.close();
    await eventStore.close();
  }
}

function mappingIn(file: string): ReportMapping {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CliError(`${file} could not be read: ${(error as Error).message}`);
  }
  const mapping = readMapping(text);
  if (typeof mapping === 'string') throw new CliError(`${file} is no mapping: ${mapping}.`);
  return mapping;
}

function reportError(error: unknown, report: string): unknown {
  if (error instanceof ReportFormatError) return new CliError(`${report}, ${printable(error.message)}.`);
  const { code, syscall, name, message } = error as NodeJS.ErrnoException;
  if (name === 'AbortError') return new CliError('Interrupted: nothing was compared.');
  return code !== undefined && syscall !== undefined
    ? new CliError(`${report} could not be read: ${message}`)
    : readError(error);
}

function describe({ kind, reference, currency, here, there }: Finding): string {
  const shown = (amountMinor: bigint | null | undefined) =>
    amountMinor === null || amountMinor === undefined ? '-' : formatAmount(amountMinor, currency as Currency);
  const fees = kind === 'fee-differs' ? ` fee here ${shown(here?.feeMinor)} there ${shown(there?.feeMinor)}` : '';
  const amounts = `here ${shown(here?.amountMinor)} there ${shown(there?.amountMinor)}`;
  return `${kind} ${printable(reference)} ${currency} ${amounts}${fees}`;
}

function describeTotals(totals: readonly CurrencyTotal[]): string {
  if (totals.length === 0) return 'There is nothing to compare.';
  const titles = ['MATCHED', 'DIFFERENT', 'HERE', 'THERE', 'DIFFERENCE'];
  const columns = [{ title: 'CURRENCY' }, ...titles.map((title) => ({ title, align: 'right' as const }))];
  const rows = totals.map(({ currency, matched, differing, hereMinor, thereMinor }) => {
    const amounts = [hereMinor, thereMinor, thereMinor - hereMinor];
    const shown = amounts.map((amountMinor) => formatAmount(amountMinor, currency as Currency));
    return [currency, String(matched), String(differing), ...shown];
  });
  return table(columns, rows).join('\n');
}

/** Of a report, which may hold anything. */
function printable(text: string): string {
  return text.slice(0, 300).replace(/[^\x20-\x7e]/g, '?');
}
