import type { Damage, EventStore } from '@app/event-sourcing';
import { beancountFormat } from './beancount';
import type { ExportFormat } from './export-format';
import { hledgerFormat } from './hledger';
import { type JournalRecord, journalRecords, type JournalSelection } from './journal-records';
import { csvFormat, jsonlFormat } from './tables';

/** In the order in which the help lists them. */
export const EXPORT_FORMATS = {
  hledger: hledgerFormat,
  beancount: beancountFormat,
  csv: csvFormat,
  jsonl: jsonlFormat,
} as const satisfies Record<string, () => ExportFormat>;

export type ExportFormatName = keyof typeof EXPORT_FORMATS;

/** The text of the export, piece by piece. Ends with the format's last line only if `signal` is not aborted. */
export async function* exportBooks(
  eventStore: Pick<EventStore, 'readAll' | 'readStream' | 'head'>,
  format: ExportFormat,
  selection: JournalSelection,
  { signal, onDamage }: { readonly signal: AbortSignal; readonly onDamage: (damage: Damage) => void },
): AsyncGenerator<string, void, undefined> {
  let entries = 0;
  const textOf = (record: JournalRecord): string => {
    switch (record.kind) {
      case 'opening':
        return format.opening(record.opening);
      case 'entry':
        entries += 1;
        return format.entry(record.entry);
      case 'damage':
        onDamage(record.damage);
        return format.damage(record.damage);
    }
  };
  yield format.head;
  for await (const records of journalRecords(eventStore, selection)) {
    if (signal.aborted) return;
    yield records.map(textOf).join('');
  }
  if (!signal.aborted) yield format.end(entries);
}
