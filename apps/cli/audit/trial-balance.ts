import { accountName } from '@app/audit/books/accounts';
import { type CurrencyTotals, trialBalanceOfLog } from '@app/audit/books/trial-balance-of-log';
import { isoTime } from '@app/event-sourcing';
import { ACCOUNTS, type Balances } from '@app/ledger/domain';
import { type Currency, formatAmount } from '@app/money';
import { readArguments } from '../arguments';
import { table } from '../table';
import { DamageReport, readError } from './export';
import type { AuditContext } from './index';
import { assertUninterrupted, interruptibly } from './interruption';
import { LOG_OPTION, openLog } from './open-log';
import { timeOption } from './time-option';

export const TRIAL_BALANCE_USAGE = `  counterfoil audit trial-balance [--as-of <time|position>] [--log <log>] [--json]
      Sums the accounts of all merchants by currency, from the log alone: as they are, or as they were at the end of a moment, a day
      (UTC) or a position of the log. Debits and credits are equal. Exit code 1 and the streams' names if the log is damaged.`;

const OPTIONS = { 'as-of': { type: 'string' }, json: { type: 'boolean' }, ...LOG_OPTION } as const;

/** @throws CliError */
export async function trialBalanceCommand(args: readonly string[], context: AuditContext): Promise<void> {
  const { values } = readArguments(args, OPTIONS, [], `Usage:\n${TRIAL_BALANCE_USAGE}`);
  const selection = selectionOf(values['as-of']);
  const eventStore = openLog(values.log, context);
  const damages = new DamageReport();
  try {
    const totals = await interruptibly(async (signal) => {
      const found = await trialBalanceOfLog(eventStore, selection, { signal, onDamage: (each) => damages.add(each) });
      assertUninterrupted(signal, 'nothing was summed up.');
      return found;
    });
    context.output.line(values.json === true ? JSON.stringify(toJson(totals), null, 2) : describe(totals));
  } catch (error) {
    throw readError(error);
  } finally {
    await eventStore.close();
  }
  damages.conclude('The trial balance');
}

/** A moment, and a day, is included as a whole. */
function selectionOf(asOf: string | undefined): { readonly to?: string; readonly upTo?: bigint } {
  if (asOf === undefined) return {};
  if (/^\d{1,19}$/.test(asOf)) return { upTo: BigInt(asOf) };
  const lengthMs = /^\d{4}-\d{2}-\d{2}$/.test(asOf) ? 24 * 3_600_000 : 1;
  return { to: isoTime(Date.parse(timeOption('as-of', asOf) ?? '') + lengthMs) };
}

function describe(totals: CurrencyTotals): string {
  if (totals.size === 0) return 'No money has been moved.';
  const columns = [
    ...[{ title: 'CURRENCY' }, { title: 'ACCOUNT' }],
    ...[
      { title: 'DEBIT', align: 'right' as const },
      { title: 'CREDIT', align: 'right' as const },
    ],
  ];
  return table(columns, [...totals].flatMap(rowsOf)).join('\n');
}

function rowsOf([currency, balances]: readonly [string, Balances]): readonly (readonly string[])[] {
  const shown = (amountMinor: bigint) => formatAmount(amountMinor, currency as Currency);
  const rows = ACCOUNTS.map((account) => {
    const sum = balances[account];
    return [currency, accountName(account).words, sum >= 0n ? shown(sum) : '', sum < 0n ? shown(-sum) : ''];
  });
  const total = (side: bigint) =>
    ACCOUNTS.map((account) => side * balances[account]).reduce((sum, each) => (each > 0n ? sum + each : sum), 0n);
  return [...rows, [currency, 'total', shown(total(1n)), shown(total(-1n))]];
}

function toJson(totals: CurrencyTotals) {
  return [...totals].map(([currency, balances]) => ({
    currency,
    accounts: Object.fromEntries(
      ACCOUNTS.map((account) => [accountName(account).words, formatAmount(balances[account], currency as Currency)]),
    ),
  }));
}
