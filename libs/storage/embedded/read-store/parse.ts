import type { Document } from '@app/kernel';
import { DamagedFileError } from './sqlite-errors';

/** @throws DamagedFileError */
export function parseDocument(body: string): Document {
  try {
    return JSON.parse(body) as Document;
  } catch {
    throw new DamagedFileError('a document is not JSON');
  }
}
