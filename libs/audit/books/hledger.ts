import { type Entry, type JournalEntry, subjectOf } from '@app/ledger/domain';
import { type Currency, currencyExponent, formatAmount } from '@app/money';
import { accountName } from './accounts';
import { entryCode, type ExportFormat, ledgerFormat, type Place } from './export-format';

/** Wide enough for most names, so that amounts stand in a column. */
const NAME_WIDTH = 68;

/** A journal for hledger, with its accounts and commodities declared: `hledger check --strict` takes it. */
export function hledgerFormat(): ExportFormat {
  const declared = new Set<string>();
  const declare = (text: string): string => {
    if (declared.has(text)) return '';
    declared.add(text);
    return `${text}\n\n`;
  };
  const transaction = (first: string, place: Place, lines: readonly Entry[]): string => {
    const names = lines.map(({ account }) => accountOf(account, place));
    const declarations = [declare(commodity(place.currency)), ...names.map((name) => declare(`account ${name}`))];
    const postings = lines.map(({ amountMinor }, index) => {
      return `    ${(names[index] ?? '').padEnd(NAME_WIDTH)}  ${amount(amountMinor, place.currency)}\n`;
    });
    return `${declarations.join('')}${first}\n${postings.join('')}\n`;
  };
  return ledgerFormat({
    head: '; A journal for hledger, by Counterfoil. Times are UTC.\ndecimal-mark .\n\n',
    openingHeading: ({ at, merchantId, currency }) =>
      `${at.slice(0, 10)} opening balances  ; journal:${merchantId}/${currency}, time:${at}`,
    entryHeading: heading,
    transaction,
  });
}

function heading(entry: JournalEntry): string {
  const { event, bookedAt } = entry;
  const { id, streamId, revision, recordedAt, paymentId, transactionId, refundId, disputeId } = event;
  const tags = { time: bookedAt, recorded: recordedAt === bookedAt ? null : recordedAt, event: id, stream: streamId };
  const more = { revision, payment: paymentId, refund: refundId, dispute: disputeId, transaction: transactionId };
  const told = Object.entries({ ...tags, ...more }).filter(([, value]) => value !== null);
  const comment = told.map(([name, value]) => `${name}:${value}`).join(', ');
  return `${bookedAt.slice(0, 10)} (${entryCode(entry)}) ${subjectOf(event)}  ; ${comment}`;
}

function accountOf(account: Entry['account'], { merchantId, currency }: Place): string {
  const { root, words } = accountName(account);
  return `${root}:${words}:${merchantId}:${currency}`;
}

function amount(amountMinor: bigint, currency: string): string {
  return `${formatAmount(amountMinor, currency as Currency)} ${currency}`;
}

/** hledger takes the number of decimals from it, and wants a decimal mark even where there are none. */
function commodity(currency: string): string {
  return `commodity 1000.${'0'.repeat(currencyExponent(currency as Currency))} ${currency}`;
}
