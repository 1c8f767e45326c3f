import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { eventually } from './eventually';
import type { ReadModels, StoredVersion } from './read-models';

/** The file of the embedded read store, for tests that inspect it or change it as another release would. */
export class ReadModelsFile implements Omit<ReadModels, 'hold' | 'letGo'> {
  private readonly db: DatabaseSync;

  constructor(dataDir: string) {
    this.db = new DatabaseSync(join(dataDir, 'read-models.sqlite'), { timeout: 2_000 });
  }

  versions(): readonly StoredVersion[] {
    const rows = this.db.prepare(`SELECT v.*, v.version = p.active AS is_active FROM version v
      JOIN projection p ON p.name = v.projection ORDER BY v.projection, v.version`); // prettier-ignore
    return rows.all().map((row) => ({
      projection: String(row['projection']),
      version: Number(row['version']),
      declaredVersion: Number(row['declared_version']),
      isActive: row['is_active'] === 1,
      position: row['checkpoint'] === null ? null : positionOf(String(row['checkpoint'])),
      completeFrom: Number(row['complete_from'] ?? 0),
    }));
  }

  versionsOf(projection: string): readonly StoredVersion[] {
    return this.versions().filter((version) => version.projection === projection);
  }

  /** Marks everything as built by a release from before declared versions. */
  pretendOlderRelease(): void {
    this.db.exec('UPDATE version SET declared_version = 0');
  }

  /** Documents and list entries, of all projections or of one. */
  leftovers(projection: string | null = null): number {
    const of = (table: string) =>
      `(SELECT count(*) FROM ${table} t JOIN collection c ON c.id = t.collection
        WHERE c.projection = coalesce(:projection, c.projection)
        AND NOT EXISTS (SELECT 1 FROM version v WHERE v.projection = c.projection AND v.version = t.version))`;
    const row = this.db.prepare(`SELECT ${of('document')} + ${of('list_entry')} AS rows`).get({ projection });
    return Number(row?.['rows']);
  }

  contents(): readonly string[] {
    const of = (table: string, columns: string) =>
      this.db.prepare(`SELECT '${table}', c.projection, c.name, ${columns} FROM ${table} t
        JOIN collection c ON c.id = t.collection JOIN projection p ON p.name = c.projection AND p.active = t.version`); // prettier-ignore
    const documents = of('document', 'key, entries, body').all();
    const entries = of('list_entry', 'list, "order", key').all();
    return [...documents, ...entries].map((row) => JSON.stringify(Object.values(row))).sort();
  }

  /**
   * Waits until a version of the projection is partially built, then blocks all writers until this file is closed: a
   * writer waits for 2 s before it reports the store as unavailable.
   */
  async holdInTheMiddle(projection: string): Promise<StoredVersion> {
    return eventually(`${projection} to be built in part`, async () => {
      this.db.exec('BEGIN IMMEDIATE');
      const found = this.versions().find(
        ({ projection: name, isActive, position, completeFrom }) =>
          name === projection && !isActive && position !== null && position < completeFrom,
      );
      if (found === undefined) this.db.exec('ROLLBACK');
      return found;
    });
  }

  close(): void {
    this.db.close();
  }
}

function positionOf(checkpoint: string): number {
  const [position] = JSON.parse(checkpoint) as [string];
  return Number(position);
}
