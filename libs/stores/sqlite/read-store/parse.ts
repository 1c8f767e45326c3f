import type { Document } from '@app/event-sourcing';
import { parsedDocument } from '@app/stores/parsed-document';
import { DamagedFileError } from './sqlite-errors';

/** @throws DamagedFileError */
export function parseDocument(body: string): Document {
  const document = parsedDocument(body);
  if (document === null) throw new DamagedFileError('a document is no JSON object');
  return document;
}

/** @throws DamagedFileError */
export function parseOfVersion<T>(text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch {
    throw new DamagedFileError('the stored data of a version is invalid');
  }
}
