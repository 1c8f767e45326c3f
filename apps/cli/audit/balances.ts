import { type AuditedBalances, balancesAsOf } from '@app/audit/replay/balances-as-of';
import { type BalanceDocument, toBalanceBody } from '@app/ledger/read-models/balance';
import { isMerchantId } from '@app/merchants/domain';
import { readArguments } from '../arguments';
import { CliError, EXIT } from '../cli-error';
import { grouped, table } from '../table';
import type { AuditContext } from '.';
import { AS_OF_HELP, AS_OF_OPTION, parseAsOf } from './as-of';
import { LOG_HELP, LOG_OPTION } from './open-log';
import { damaged, describeAsOf, readingLog } from './reading-log';

export const BALANCES_USAGE = `  counterfoil audit balances <merchantId> [--as-of <time|position>] [--log <folder|url>] [--json]
      Shows a merchant's balances, folded from the log alone. Ends with code 5 if a payment of theirs is damaged: its events from there
      on are not in the figures.`;

/** @throws CliError */
export async function balancesCommand(args: readonly string[], context: AuditContext): Promise<void> {
  const options = { ...AS_OF_OPTION, ...LOG_OPTION, json: { type: 'boolean' } } as const;
  const help = `Usage:\n${BALANCES_USAGE}\n\n${AS_OF_HELP}\n${LOG_HELP}`;
  const { positionals, values } = readArguments(args, options, ['merchantId'], help);
  const merchantId = positionals[0] ?? '';
  if (!isMerchantId(merchantId)) throw new CliError(`'${merchantId}' is no merchant's id.`, EXIT.usage);
  const asOf = parseAsOf(values['as-of']);
  const found = await readingLog(values.log, context, (eventStore) =>
    balancesAsOf({ eventStore, clock: context.clock }, merchantId, asOf),
  );
  const { payments, postings, damages } = found;
  if (values.json === true) {
    const balances = found.balances.map(toBalanceBody);
    context.output.line(JSON.stringify({ merchantId, balances, payments, postings, damages }, null, 2));
  } else {
    context.output.line(`${merchantId} ${describeAsOf(asOf)}: ${countsText(found)}`);
    if (found.balances.length > 0) context.output.line(['', ...balanceTable(found.balances)].join('\n'));
  }
  if (damages.length > 0) {
    throw damaged('These streams are damaged. What they hold from there on is not in the balances:', damages);
  }
}

function countsText({ payments, postings }: AuditedBalances): string {
  return `${grouped(payments)} payments, ${grouped(postings)} postings`;
}

function balanceTable(balances: readonly BalanceDocument[]): readonly string[] {
  const right = { align: 'right' } as const;
  const columns = [
    'CURRENCY',
    'GATEWAY RECEIVABLE',
    'MERCHANT PAYABLE',
    'REFUNDS PENDING',
    'FEES EARNED',
    'CHARGEBACKS',
  ];
  const rows = balances.map((document) => {
    const { currency, gatewayReceivable, merchantPayable, refundsPending, feesEarned, chargebacks } =
      toBalanceBody(document);
    return [currency, gatewayReceivable, merchantPayable, refundsPending, feesEarned, chargebacks];
  });
  return table(
    columns.map((title, index) => (index === 0 ? { title } : { title, ...right })),
    rows,
  );
}
