import type { Document } from '@app/kernel';
import { unavailable } from './failures';

/** @throws ReadStoreUnavailableError when somebody else has written under our keys. */
export function parseDocument(body: string): Document {
  try {
    return JSON.parse(body) as Document;
  } catch {
    throw unavailable('Reading', 'Redis holds something else under a key of a read model');
  }
}

/** What somebody else has written in the place of one item must not keep the others from being worked: it says nothing. */
export function claimedDocument(body: string): Document {
  try {
    return Object(JSON.parse(body)) as Document;
  } catch {
    return {};
  }
}
