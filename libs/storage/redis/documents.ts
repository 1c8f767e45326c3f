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
