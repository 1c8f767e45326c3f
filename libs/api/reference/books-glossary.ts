import { CREATED_AT, entry, type GlossaryEntry } from './glossary-entry';

/** The fields of statements, trial balances and reconciliations. */
export const BOOKS_GLOSSARY: Readonly<Record<string, GlossaryEntry>> = {
  'readStatement.currency': entry('The balance whose statement is wanted.', 'EUR'),
  'readStatement.from': entry('Only entries of this time or later.', CREATED_AT),
  'readStatement.to': entry('Only entries before this time. Later than `from`.', '2030-01-02T00:00:00.000Z'),
  opening: entry('The balance before the first entry of the page.'),
  'Statement.items': entry('The entries, the oldest first.'),
  closing: entry('The balance after the last entry of the page.'),
  number: entry("The entry's number in your journal of this currency: from 1, without gaps.", 1),
  time: entry('When it was entered.', '2030-01-01T00:00:02.310Z'),
  'StatementEntry.type': entry(
    'What happened: `payment.captured`, `refund.requested`, `refund.completed`, `refund.failed`; more may be added.',
    'payment.captured',
  ),
  disputeId: entry('The dispute.', 'dsp_01JGFJJZ00Q8V5T3N7R2M4K6H9'),
  change: entry('What the entry adds to each sum of the balance.'),
  balance: entry('The balance after the entry.'),

  // Books.
  'TrialBalance.asOf': entry('The time that was asked for. Null: all there is.', null),
  'readTrialBalance.asOf': entry(
    'Only what was entered up to and including this time. Absent: all there is.',
    CREATED_AT,
  ),
  currencies: entry('One for each currency in which money was moved.'),
  accounts: entry('Every account, with its sum on the one side or the other.'),
  account: entry('The account, named as in balances.', 'gatewayReceivable'),
  debit: entry('Its sum if that is a debit.', '129.90'),
  credit: entry('Its sum if that is a credit.', '0.00'),
  totalDebit: entry('The sum of all debits.', '129.90'),
  totalCredit: entry('The sum of all credits. Equal to that of the debits.', '129.90'),
};
