import { type Entry, type JournalEntry, subjectOf } from '@app/ledger/domain';
import { type Currency, formatAmount } from '@app/money';
import { accountName, amountsOf } from './accounts';
import { damageText, endText, entryCode, type ExportFormat } from './export-format';

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
  return {
    head: '; A ledger for Beancount, by Counterfoil. Times are UTC.\n\n',
    opening: ({ at, balances, ...place }) => {
      const lines = amountsOf(balances);
      const meta = metadata({ journal: `${place.merchantId}/${place.currency}`, time: at });
      return lines.length === 0 ? '' : transaction(`${at.slice(0, 10)} * "opening balances"${meta}`, place, lines);
    },
    entry: (entry) => transaction(heading(entry), entry, entry.lines),
    damage: (damage) => `; INCOMPLETE: ${damageText(damage)}\n\n`,
    end: (entries) => `; ${endText(entries)}\n`,
  };
}

interface Place {
  readonly merchantId: string;
  readonly currency: string;
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
