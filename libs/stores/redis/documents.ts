import type { Document } from '@app/event-sourcing';
import { parsedDocument } from '@app/stores/parsed-document';
import { unavailable } from './failures';

/** @throws ReadStoreUnavailableError if somebody else has written to the key. */
export function parseDocument(body: string): Document {
  const document = parsedDocument(body);
  if (document === null) throw unavailable('Reading', 'Redis has foreign data under a key of a read model');
  return document;
}
