import type { Damage } from '@app/event-sourcing';
import type { Entry, JournalEntry } from '@app/ledger/domain';
import { amountsOf } from './accounts';
import type { Opening } from './journal-records';

/** Writes records as the lines of one format. It holds nothing but the names that it has declared. */
export interface ExportFormat {
  readonly head: string;
  opening(opening: Opening): string;
  entry(entry: JournalEntry): string;
  damage(damage: Damage): string;
  /** The last line of an export that is whole. */
  end(entries: number): string;
}

/** Whose account in which currency. */
export interface Place {
  readonly merchantId: string;
  readonly currency: string;
}

/** How a ledger in plain text writes what is its own. */
export interface LedgerStyle {
  readonly head: string;
  readonly openingHeading: (opening: Opening) => string;
  readonly entryHeading: (entry: JournalEntry) => string;
  readonly transaction: (heading: string, place: Place, lines: readonly Entry[]) => string;
}

/** A ledger in plain text, in which a semicolon begins a comment. */
export function ledgerFormat({ head, openingHeading, entryHeading, transaction }: LedgerStyle): ExportFormat {
  return {
    head,
    opening: (opening) => {
      const lines = amountsOf(opening.balances);
      return lines.length === 0 ? '' : transaction(openingHeading(opening), opening, lines);
    },
    entry: (entry) => transaction(entryHeading(entry), entry, entry.lines),
    damage: (damage) => `; INCOMPLETE: ${damageText(damage)}\n\n`,
    end: (entries) => `; ${endText(entries)}\n`,
  };
}

/** What identifies the entry: merchant, currency and number. */
export function entryCode({ merchantId, currency, number }: JournalEntry): string {
  return `${merchantId}/${currency}/${number}`;
}

export function damageText({ streamId, revision, kind }: Damage): string {
  // A stream's name may be anything if others can write to the log.
  const name = streamId.slice(0, 200).replace(/[^\w.:-]/g, '?');
  return `${name} is damaged at revision ${revision} (${kind}); what follows in it is left out`;
}

export function endText(entries: number): string {
  return `end of the export: ${entries} entries`;
}
