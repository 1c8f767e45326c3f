import type { DocumentWrite, ListEntry, StoredDocument, StoredEntry } from '@app/event-sourcing';
import { differencesOf, type Plain, plain } from '@app/audit/plain';

/**
 * `missing`: the read store lacks a document. `surplus`: it has one that the log does not give. `field`: a field
 * differs. `unreadable`: the stored text is no document. `entry missing`, `entry surplus`: likewise for an entry of a
 * sorted list.
 */
export type DifferenceKind = 'missing' | 'surplus' | 'field' | 'unreadable' | 'entry missing' | 'entry surplus';

/** Where a read model is not what the log gives. */
export interface DifferencePlace {
  /** The projection, or its partition. */
  readonly projection: string;
  readonly collection: string;
  /** Of the document. */
  readonly key: string;
  readonly kind: DifferenceKind;
  /** The path of a field, or the list and order of an entry; empty for a whole document. */
  readonly field: string;
}

export interface Difference extends DifferencePlace {
  /** By the log; undefined where there should be nothing. */
  readonly expected: Plain | undefined;
  /** Undefined where there is nothing. */
  readonly found: Plain | undefined;
}

type Found = Omit<Difference, 'projection' | 'collection'>;

/** @param expected null if the log gives no document with this key. */
export function documentDifferences(expected: DocumentWrite | null, stored: StoredDocument): readonly Found[] {
  const { key, document } = stored;
  const whole = (kind: DifferenceKind): readonly Found[] => {
    const found = document === null ? undefined : plain(document);
    return [{ key, kind, field: '', expected: expected === null ? undefined : plain(expected.document), found }];
  };
  if (expected === null) return document === null ? [] : whole('surplus');
  if (document === null) return whole('missing');
  if (document === 'unreadable') return whole('unreadable');
  const fields = differencesOf(plain(expected.document), document as Plain);
  return [
    ...fields.map(({ field, before, after }): Found => ({ key, kind: 'field', field, expected: before, found: after })),
    ...entryDifferences(expected.listEntries, stored),
  ];
}

function entryDifferences(
  expected: readonly ListEntry[],
  { key, entries, unlisted }: StoredDocument,
): readonly Found[] {
  const wanted = new Set(expected.map(textOf));
  const there = new Set(entries.map(textOf));
  const hidden = new Set(unlisted.map(textOf));
  const missing = [...wanted].filter((entry) => !there.has(entry) || hidden.has(entry));
  const surplus = [...there].filter((entry) => !wanted.has(entry));
  return [...missing.map((entry) => missingEntry(key, entry)), ...surplus.map((entry) => surplusEntry(key, entry))];
}

/** An entry that stands in a list, though the log gives none. */
export function strayEntry(expected: DocumentWrite | null, entry: StoredEntry): readonly Found[] {
  const text = textOf(entry);
  const isWanted = expected?.listEntries.some((wanted) => textOf(wanted) === text) ?? false;
  return isWanted ? [] : [surplusEntry(entry.key, text)];
}

/** Two differences of one place have the same text. */
export function placeText({ projection, collection, key, kind, field }: DifferencePlace): string {
  return JSON.stringify([projection, collection, key, kind, field]);
}

export function placeOf({ projection, collection, key, kind, field }: DifferencePlace): DifferencePlace {
  return { projection, collection, key, kind, field };
}

function missingEntry(key: string, entry: string): Found {
  return { key, kind: 'entry missing', field: entry, expected: entry, found: undefined };
}

function surplusEntry(key: string, entry: string): Found {
  return { key, kind: 'entry surplus', field: entry, expected: undefined, found: entry };
}

function textOf({ list, order }: ListEntry): string {
  return `${list} ${order}`;
}
