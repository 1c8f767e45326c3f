import { type Entry, type JournalEntry, subjectOf } from '@app/ledger/domain';
import { type Currency, formatAmount } from '@app/money';
import { accountName } from './accounts';
import { entryCode, type ExportFormat, ledgerFormat, type Place } from './export-format';

const ROOTS = { assets: 'Assets', liabilities: 'Liabilities', revenues: 'Income' } as const;

/** A ledger for Beancount. Each account is opened on the day on which it is first used. */
export function beancountFormat(): ExportFormat {
  const opened = new Set<string>();
  const open = (name: string, day: string, currency: string): string => {
    if (opened.has(name)) return '';
    opened.add(name);
    return `${day} open ${name} ${currency}\n`;
  };
  const transaction = (first: string, place: Place, lines: readonly Entry[]): string => {
    const names = lines.map(({ account }) => accountOf(account, place));
    const opens = names.map((name) => open(name, first.slice(0, 10), place.currency)).join('');
    const postings = lines.map(({ amountMinor }, index) => {
      return `  ${names[index] ?? ''}  ${formatAmount(amountMinor, place.currency as Currency)} ${place.currency}\n`;
    });
    return `${opens}${first}\n${postings.join('')}\n`;
  };
  return ledgerFormat({
    head: '; A ledger for Beancount, by Counterfoil. Times are UTC.\n\n',
    openingHeading: ({ at, merchantId, currency }) =>
      `${at.slice(0, 10)} * "opening balances"${metadata({ journal: `${merchantId}/${currency}`, time: at })}`,
    entryHeading: heading,
    transaction,
  });
}

function heading(entry: JournalEntry): string {
  const { event, bookedAt } = entry;
  const { id, streamId, revision, recordedAt, paymentId, transactionId, refundId, disputeId } = event;
  const meta = metadata({
    entry: entryCode(entry),
    time: bookedAt,
    recorded: recordedAt === bookedAt ? null : recordedAt,
    event: id,
    stream: streamId,
    revision: String(revision),
    payment: paymentId,
    refund: refundId,
    dispute: disputeId,
    transaction: transactionId,
  });
  return `${bookedAt.slice(0, 10)} * "${subjectOf(event)}"${meta}`;
}

function metadata(values: Readonly<Record<string, string | null>>): string {
  const told = Object.entries(values).filter(([, value]) => value !== null);
  return told.map(([name, value]) => `\n  ${name}: "${value}"`).join('');
}

/** Beancount's names have capitalized parts without spaces and underscores; merchants' ids have no dash. */
function accountOf(account: Entry['account'], { merchantId, currency }: Place): string {
  const { root, words } = accountName(account);
  const name = words.replace(/(?:^| )(.)/g, (_match, letter: string) => letter.toUpperCase());
  return `${ROOTS[root]}:${name}:Merchant-${merchantId.replaceAll('_', '-')}:${currency}`;
}
