import { type JournalEntry, subjectOf } from '@app/ledger/domain';
import { type Currency, formatAmount } from '@app/money';
import { accountName, amountsOf } from './accounts';
import { damageText, endText, type ExportFormat } from './export-format';
import type { Opening } from './journal-records';

const COLUMNS = [
  ...['kind', 'merchant', 'currency', 'number', 'time', 'subject', 'account', 'amount'],
  ...['payment', 'refund', 'dispute', 'transaction', 'event', 'stream', 'revision', 'recorded'],
];

/** One row a line of an entry; debits are positive. */
export function csvFormat(): ExportFormat {
  return {
    head: row(COLUMNS),
    opening: ({ merchantId, currency, at, balances }) =>
      amountsOf(balances)
        .map(({ account, amountMinor }) => {
          const amount = formatAmount(amountMinor, currency as Currency);
          return row(['opening', merchantId, currency, '', at, '', accountName(account).words, amount]);
        })
        .join(''),
    entry: (entry) => {
      const { merchantId, currency, number, bookedAt, event } = entry;
      const first = ['entry', merchantId, currency, String(number), bookedAt, subjectOf(event)];
      const last = [event.paymentId, event.refundId ?? '', event.disputeId ?? '', event.transactionId ?? ''].concat(
        ...[event.id, event.streamId, String(event.revision), event.recordedAt],
      );
      const lines = entry.lines.map(({ account, amountMinor }) => {
        return row([...first, accountName(account).words, formatAmount(amountMinor, currency as Currency), ...last]);
      });
      return lines.join('');
    },
    damage: (damage) => row(['damaged', '', '', '', '', damageText(damage)]),
    end: (entries) => row(['end', '', '', '', '', endText(entries)]),
  };
}

/** One object a line. */
export function jsonlFormat(): ExportFormat {
  return {
    head: '',
    opening: ({ merchantId, currency, at, balances }: Opening) =>
      line({ kind: 'opening', merchantId, currency, time: at, lines: linesOf(amountsOf(balances), currency) }),
    entry: ({ merchantId, currency, number, bookedAt, event, lines, balances }: JournalEntry) =>
      line({
        ...{ kind: 'entry', merchantId, currency, number, time: bookedAt, subject: subjectOf(event), event },
        lines: linesOf(lines, currency),
        balances: linesOf(amountsOf(balances), currency),
      }),
    damage: ({ streamId, revision, kind, reason }) =>
      line({ kind: 'damaged', streamId, revision, damage: kind, reason }),
    end: (entries) => line({ kind: 'end', entries }),
  };
}

function linesOf(lines: JournalEntry['lines'], currency: string) {
  return lines.map(({ account, amountMinor }) => {
    return { account: accountName(account).words, amount: formatAmount(amountMinor, currency as Currency) };
  });
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/** RFC 4180; no value here holds a comma, a quote or a line break. */
function row(values: readonly string[]): string {
  return `${[...values, ...COLUMNS.slice(values.length).map(() => '')].join(',')}\r\n`;
}
