import type { Checkpoint, Document, DocumentWrite, ProjectionVersion } from '@app/kernel';
import { DamagedFileError } from './sqlite-errors';
import type { Statements } from './statements';

/** @throws DamagedFileError */
export function parseDocument(body: string): Document {
  try {
    return JSON.parse(body) as Document;
  } catch {
    throw new DamagedFileError('a document is not JSON');
  }
}

export function writeDocument(
  statements: Statements,
  collection: number,
  version: number,
  { key, document, due }: DocumentWrite,
): void {
  if (document === null) {
    statements.remove.run(collection, version, key);
    return;
  }
  statements.put.run(collection, version, key, due?.dueAtMs ?? null, due?.group ?? null, JSON.stringify(document));
}

/** The active version as it is stored, or null. */
export function readVersion(statements: Statements, projection: string): ProjectionVersion | null {
  const row = statements.active.get(projection) as
    { version: number; code_hash: string; checkpoint: string | null; complete_from: string | null } | undefined;
  if (row === undefined) return null;
  return {
    projection,
    version: row.version,
    codeHash: row.code_hash,
    checkpoint: row.checkpoint === null ? null : parseCheckpoint(row.checkpoint),
    completeFrom: row.complete_from === null ? null : BigInt(row.complete_from),
  };
}

/** One text for one checkpoint, so that the store can compare by it. Positions go beyond SQLite's 64 signed bits. */
export function checkpointText({ position, lastEvent }: Checkpoint): string {
  const last = lastEvent === null ? null : [lastEvent.id, lastEvent.streamId, lastEvent.revision];
  return JSON.stringify([String(position), last]);
}

function parseCheckpoint(text: string): Checkpoint {
  const [position, last] = JSON.parse(text) as [string, [string, string, number] | null];
  const lastEvent = last === null ? null : { id: last[0], streamId: last[1], revision: last[2] };
  return { position: BigInt(position), lastEvent };
}
