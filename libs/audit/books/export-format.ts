import type { Damage } from '@app/event-sourcing';
import type { JournalEntry } from '@app/ledger/domain';
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
