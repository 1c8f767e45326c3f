import type { Connection } from './connection';

/** So many documents are looked through in one removing step: 1-3 ms, then whatever else waits gets its turn. */
const DOCUMENTS_STEP = 200;

/** So many list entries are removed in one step; they lie side by side, so that they cost less than documents. */
const ENTRIES_STEP = 1_000;

/** How far the look through the documents has come, and for which dead versions it was begun. */
interface RemovalPass {
  readonly versions: readonly number[];
  after: number;
}

/** Removes what dead versions have left, step by step. What a crash leaves over is found again. */
export class Removal {
  private readonly passes = new Map<string, RemovalPass>();

  constructor(private readonly connection: Connection) {}

  /** @returns whether there is more to remove. */
  async step(projection: string): Promise<boolean> {
    if (this.deadVersions(projection).length === 0) return false;
    await this.connection.room();
    return this.removeEntries(projection) || this.removeDocuments(projection);
  }

  /** In the order of the index: whole pages of it at a time. @returns whether there were any. */
  private removeEntries(projection: string): boolean {
    if (this.connection.read(({ oldEntries }) => oldEntries.get({ projection })) === undefined) return false;
    return this.connection.write(ENTRIES_STEP, ({ oldEntries, entriesStepEnd, removeEntriesBefore, removeEntries }) => {
      const old = oldEntries.get({ projection }) as { collection: number; version: number } | undefined;
      if (old === undefined) return false;
      const end = entriesStepEnd.get({ ...old, limit: ENTRIES_STEP });
      if (end === undefined) removeEntries.run(old);
      else removeEntriesBefore.run({ ...old, ...end });
      return true;
    });
  }

  /** In the order in which they were stored, as then a page is visited once. @returns whether there is more to remove. */
  private removeDocuments(projection: string): boolean {
    const pass = this.passes.get(projection) ?? { versions: this.deadVersions(projection), after: 0 };
    this.passes.set(projection, pass);
    return this.connection.write(DOCUMENTS_STEP, ({ stepEnd, removeOld, removeDead, dead }) => {
      const { after } = pass;
      const { last } = stepEnd.get({ after, limit: DOCUMENTS_STEP }) as { last: number | null };
      if (last !== null) {
        removeOld.run({ projection, after, last });
        pass.after = last;
        return true;
      }
      // Those that died meanwhile may have left something before where this pass has come.
      for (const version of pass.versions) removeDead.run(projection, version);
      this.passes.delete(projection);
      return dead.get(projection) !== undefined;
    });
  }

  private deadVersions(projection: string): readonly number[] {
    const rows = this.connection.read(({ dead }) => dead.all(projection)) as { version: number }[];
    return rows.map(({ version }) => version);
  }
}
