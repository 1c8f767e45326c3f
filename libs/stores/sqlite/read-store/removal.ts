import type { Connection } from './connection';

/** So many documents are looked through in one removing step: 1-3 ms, then whatever else waits gets its turn. */
const DOCUMENTS_STEP = 200;

/** So many places are removed in one step; they lie side by side, so that they cost less than documents. */
const PLACES_STEP = 1_000;

/** How far the look through the documents has come, and for which dead versions it was begun. */
interface Round {
  readonly versions: readonly number[];
  after: number;
}

/** Removes what dead versions have left, step by step. What a crash leaves over is found again. */
export class Removal {
  private readonly rounds = new Map<string, Round>();

  constructor(private readonly connection: Connection) {}

  /** @returns whether there is more to remove. */
  async step(projection: string): Promise<boolean> {
    if (this.deadVersions(projection).length === 0) return false;
    await this.connection.room();
    return this.removePlaces(projection) || this.removeDocuments(projection);
  }

  /** In the order of the index: whole pages of it at a time. @returns whether there were any. */
  private removePlaces(projection: string): boolean {
    if (this.connection.read(({ oldPlaces }) => oldPlaces.get({ projection })) === undefined) return false;
    return this.connection.write(PLACES_STEP, ({ oldPlaces, placesStepEnd, removePlacesBefore, removePlaces }) => {
      const old = oldPlaces.get({ projection }) as { collection: number; version: number } | undefined;
      if (old === undefined) return false;
      const end = placesStepEnd.get({ ...old, limit: PLACES_STEP });
      if (end === undefined) removePlaces.run(old);
      else removePlacesBefore.run({ ...old, ...end });
      return true;
    });
  }

  /** In the order in which they were stored, as then a page is visited once. @returns whether there is more to remove. */
  private removeDocuments(projection: string): boolean {
    const round = this.rounds.get(projection) ?? { versions: this.deadVersions(projection), after: 0 };
    this.rounds.set(projection, round);
    return this.connection.write(DOCUMENTS_STEP, ({ stepEnd, removeOld, removeDead, dead }) => {
      const { after } = round;
      const { last } = stepEnd.get({ after, limit: DOCUMENTS_STEP }) as { last: number | null };
      if (last !== null) {
        removeOld.run({ projection, after, last });
        round.after = last;
        return true;
      }
      // Those that died meanwhile may have left something before where this round has come.
      for (const version of round.versions) removeDead.run(projection, version);
      this.rounds.delete(projection);
      return dead.get(projection) !== undefined;
    });
  }

  private deadVersions(projection: string): readonly number[] {
    const rows = this.connection.read(({ dead }) => dead.all(projection)) as { version: number }[];
    return rows.map(({ version }) => version);
  }
}
