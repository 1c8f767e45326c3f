import type { Document, DocumentWrite } from '../read-store';

/** The overhead of a write, without its document and list entries. */
const WRITE_SIZE = 128;
/** A list entry: the list's name and the order. */
const ENTRY_SIZE = 96;
/** A number, a boolean or null. */
const PLAIN_SIZE = 8;

/** A write and its approximate size in characters: one or two bytes each in memory, one to three in a store. */
export interface SizedWrite {
  /** Identifies the document within the projection. */
  readonly name: string;
  readonly write: DocumentWrite;
  readonly size: number;
}

export function sized(write: DocumentWrite): SizedWrite {
  const size = WRITE_SIZE + ENTRY_SIZE * write.listEntries.length + documentSize(write.document);
  return { name: nameOf(write.collection, write.key), write, size };
}

export function nameOf(collection: string, key: string): string {
  return `${collection}\0${key}`;
}

/** The approximate length of the JSON: serializing it would cost more than projecting the event. */
export function documentSize(document: Document | null): number {
  return document === null ? 0 : sizeOf(document);
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return PLAIN_SIZE;
  let size = 0;
  if (Array.isArray(value)) for (const member of value) size += sizeOf(member);
  else for (const name in value) size += name.length + PLAIN_SIZE + sizeOf((value as Document)[name]);
  return size;
}
