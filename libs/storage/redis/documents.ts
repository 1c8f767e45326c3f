import type { Document } from '@app/kernel';
import { parsedDocument } from '../parsed-document';
import { unavailable } from './failures';

/** @throws ReadStoreUnavailableError when somebody else has written under our keys. */
export function parseDocument(body: string): Document {
  const document = parsedDocument(body);
  if (document === null) throw unavailable('Reading', 'Redis holds something else under a key of a read model');
  return document;
}

/** What somebody else has written in the place of one item must not keep the others from being worked: it says nothing. */
export function claimedDocument(body: string): Document {
  return parsedDocument(body) ?? {};
}
