import type { Document, DocumentWrite } from '../read-store';

/** What a write takes beside its document and its list entries. */
const WRITE_SIZE = 128;
/** A list's name and an order in it. */
const ENTRY_SIZE = 96;
/** A number, a truth value or nothing. */
const PLAIN_SIZE = 8;

/** A write with what it takes, in characters: a character is one byte in memory or two, and one to three in a store. */
export interface SizedWrite {
  /** Of the document within the projection. */
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

/** The characters of its JSON, roughly: counted, since making the text would cost more than projecting the event. */
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
