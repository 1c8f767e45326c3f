import type { Connection } from './connection';

/** The most documents scanned in one step: 1-3 ms, then other work gets its turn. */
const DOCUMENTS_STEP = 200;

/** The most list entries removed in one step; they are contiguous, so they cost less than documents. */
const ENTRIES_STEP = 1_000;

/** The progress of a scan through the documents, and the dead versions for which it was started. */
interface RemovalPass {
  readonly versions: readonly number[];
  after: number;
}

/** Removes the data of dead versions, step by step. After a crash, the rest is found again. */
export class Removal {
  private readonly passes = new Map<string, RemovalPass>();

  constructor(private readonly connection: Connection) {}

  /** @returns whether there is more to remove. */
  async step(projection: string): Promise<boolean> {
    if (this.deadVersions(projection).length === 0) return false;
    await this.connection.room();
    return this.removeEntries(projection) || this.removeDocuments(projection);
  }

  /** Removes in index order, so that whole pages are freed at a time. @returns whether there were any entries. */
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

  /** Removes in storage order, so that each page is visited once. @returns whether there is more to remove. */
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
      // Only these versions: others that died during the scan may have documents before its position.
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
