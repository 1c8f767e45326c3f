import type { Document } from '@app/event-sourcing';
import { parsedDocument } from '@app/stores/parsed-document';
import { unavailable } from './failures';

/** @throws ReadStoreUnavailableError when somebody else has written under our keys. */
export function parseDocument(body: string): Document {
  const document = parsedDocument(body);
  if (document === null) throw unavailable('Reading', 'Redis holds something else under a key of a read model');
  return document;
}
