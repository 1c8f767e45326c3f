import type { Connection } from './connection';

/** So many documents are looked through in one removing step: 1-3 ms, then whatever else waits gets its turn. */
const DOCUMENTS_STEP = 200;

/** So many places are removed in one step; they lie side by side, so that they cost less than documents. */
const PLACES_STEP = 1_000;

/**
 * Removes what older versions of the projection hold, in steps, so that a million documents don't stop the thread. What a
 * crash leaves over, the next call removes.
 */
export async function removeOldVersions(connection: Connection, projection: string): Promise<void> {
  await removeOldPlaces(connection, projection);
  await removeOldDocuments(connection, projection);
}

/** In the order of the index: whole pages of it at a time. */
async function removeOldPlaces(connection: Connection, projection: string): Promise<void> {
  let more = connection.read((statements) => statements.oldPlaces.get({ projection })) !== undefined;
  while (more && !connection.closed) {
    more = connection.write(PLACES_STEP, (statements) => {
      const old = statements.oldPlaces.get({ projection }) as { collection: number; before: number } | undefined;
      if (old === undefined) return false;
      const { collection, before } = old;
      const end = statements.placesStepEnd.get({ collection, before, limit: PLACES_STEP });
      statements.removePlacesBefore.run({ collection, ...(end ?? { version: before, list: '', order: '', key: '' }) });
      return true;
    });
    await othersTurn(connection);
  }
}

/** In the order in which they were stored, as then a page is visited once. */
async function removeOldDocuments(connection: Connection, projection: string): Promise<void> {
  const found = connection.read((statements) => statements.anyOld.get({ projection }));
  if (found === undefined) return;
  let after: number | null = 0;
  while (after !== null && !connection.closed) {
    const from: number = after;
    after = connection.write(DOCUMENTS_STEP, (statements) => {
      const { last } = statements.stepEnd.get({ after: from, limit: DOCUMENTS_STEP }) as { last: number | null };
      if (last !== null) statements.removeOld.run({ projection, after: from, last });
      return last;
    });
    await othersTurn(connection);
  }
}

async function othersTurn(connection: Connection): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  await connection.room();
}
