/** A document of a read model: JSON, with money as decimal strings of minor units. */
export type Document = Readonly<Record<string, unknown>>;

/** How far a projection has come, and a proof of which log it was. */
export interface Checkpoint {
  /** Every event up to and including this position is in the documents. */
  readonly position: bigint;
  /** The last event that was projected; null when the projection was concerned by none so far. */
  readonly lastEvent: { readonly id: string; readonly streamId: string; readonly revision: number } | null;
  /** How many events were handed to this version so far. */
  readonly events: number;
}

/** One built edition of a projection. */
export interface ProjectionVersion {
  readonly projection: string;
  readonly version: number;
  /** What the projection declared when it was begun. Documents of two declared versions are never mixed. */
  readonly declaredVersion: number;
  readonly checkpoint: Checkpoint | null;
  /** The log's head when this version was created: before the checkpoint reaches it, the version is incomplete. */
  readonly completeFrom: bigint | null;
  /** When it was created, in ms since the epoch. */
  readonly startedAtMs: number;
  /** Where and why it has stopped; null while it goes on. */
  readonly stop: ProjectionStop | null;
}

/** Whether everything that was in the log when the version was begun is in it. */
export function isCompleteVersion({ checkpoint, completeFrom }: ProjectionVersion): boolean {
  return completeFrom === null || (checkpoint?.position ?? -1n) >= completeFrom;
}

/** An event at which a version stands still until an operator has it retried or skipped. */
export interface ProjectionStop {
  readonly position: bigint;
  readonly event: { readonly id: string; readonly type: string; readonly streamId: string; readonly revision: number };
  readonly reason: string;
  /** In ms since the epoch. */
  readonly atMs: number;
}

/** What there is of a projection: the version that is read, and the one that is built to take its place. */
export interface ProjectionVersions {
  readonly active: ProjectionVersion | null;
  readonly building: ProjectionVersion | null;
}

/** A new version is begun with the log's head, and the time in ms since the epoch. */
export interface NewVersion {
  readonly declaredVersion: number;
  readonly head: bigint | null;
  readonly nowMs: number;
}

/** Names one collection of documents of one projection. */
export interface CollectionName {
  readonly projection: string;
  readonly collection: string;
}

export interface DocumentWrite {
  readonly collection: string;
  readonly key: string;
  /** The whole new document (absolute, never an increment), or null to remove it. */
  readonly document: Document | null;
  /** Where the document stands in sorted lists: absolute, in the place of earlier ones. A removed document stands nowhere. */
  readonly listEntries: readonly ListEntry[];
}

/** One place in one sorted list of a collection; named twice, it is still one place. */
export interface ListEntry {
  /** Any text, such as a merchant's id. A list exists as long as a document stands in it. */
  readonly list: string;
  /**
   * ASCII without control characters, compared byte by byte. Documents with the same order stand by their keys, but no
   * page can begin between them: lists that are read page by page end each order with the document's key.
   */
  readonly order: string;
}

/** Asks for a part of one sorted list, read in one direction. */
export interface PageRequest {
  readonly name: CollectionName;
  readonly list: string;
  readonly direction: 'ascending' | 'descending';
  /** Begins behind this order, in the direction of reading; null at the list's end that comes first. */
  readonly after: string | null;
  /** Ends before this order, in the direction of reading; null or absent at the list's other end. */
  readonly until?: string | null;
  readonly limit: number;
}

export interface ListedDocument {
  readonly key: string;
  readonly order: string;
  readonly document: Document;
}

export interface ProjectionCommit {
  readonly projection: string;
  readonly version: number;
  readonly declaredVersion: number;
  /** The checkpoint that this batch was computed from; any other one in the store fences the commit off. */
  readonly expected: Checkpoint | null;
  readonly next: Checkpoint | null;
  readonly writes: readonly DocumentWrite[];
  /** Where the version stands still from now on; absent or null while it goes on. */
  readonly stop?: ProjectionStop | null;
}

/**
 * Read models and to-do lists: derived, and lost without loss. Writes of a projection come in fenced, atomic commits;
 * readers see the active version only. Every adapter runs the same contract suite.
 */
export abstract class ReadStore {
  readonly #lossListeners = new Set<() => void>();
  readonly #advanceListeners = new Set<(projection: string) => void>();

  /**
   * `listener` is called at once when the store finds out that what it held is gone, or may be, before the operation that found it
   * fails, or the next one is answered. A store that others may empty can't always know: whoever depends on a version looks again from time to time.
   *
   * @returns what takes the listener away again.
   */
  onLost(listener: () => void): () => void {
    this.#lossListeners.add(listener);
    return () => this.#lossListeners.delete(listener);
  }

  /** For adapters. */
  protected tellLoss(): void {
    for (const listener of [...this.#lossListeners]) listener();
  }

  /**
   * `listener` is called, with the projection's name, when the store hears that one of its versions has changed, whoever did it:
   * a hint that may be late or missing, so whoever depends on it looks by itself from time to time.
   *
   * @returns what takes the listener away again.
   */
  onAdvanced(listener: (projection: string) => void): () => void {
    this.#advanceListeners.add(listener);
    return () => this.#advanceListeners.delete(listener);
  }

  /** For adapters. */
  protected tellAdvance(projection: string): void {
    for (const listener of [...this.#advanceListeners]) listener(projection);
  }

  /**
   * The active version of the projection, whatever was declared when it was begun: only the same declared version may go on
   * with it, others build one of their own beside it. Where there is none, a new empty one is made active.
   */
  abstract open(projection: string, fresh: NewVersion): Promise<ProjectionVersion>;

  /**
   * Starts over with a new, empty, active version, for a checkpoint that does not belong to this log. One that is being built
   * is given up with it.
   */
  abstract restart(projection: string, fresh: NewVersion): Promise<ProjectionVersion>;

  /** Both of one moment. */
  abstract versions(projection: string): Promise<ProjectionVersions>;

  /**
   * Begins an empty version beside the active one, which is read and followed on meanwhile. One at a time: `in-progress`
   * where one is being built. `not-open` where there is no active version.
   */
  abstract beginBuild(projection: string, fresh: NewVersion): Promise<ProjectionVersion | 'in-progress' | 'not-open'>;

  /**
   * Puts the version that is being built into the active one's place, in one atomic step; readers see one or the other.
   * `behind` while it isn't complete or has not come as far as the active one, `fenced` where it isn't the one being built.
   */
  abstract activate(projection: string, version: number): Promise<'activated' | 'behind' | 'fenced'>;

  /** Gives the version that is being built up; false where it isn't the one being built. */
  abstract abandonBuild(projection: string, version: number): Promise<boolean>;

  /**
   * Removes some of what versions that are neither active nor being built have left, so little that nobody has to wait for it.
   *
   * @returns whether there is more.
   */
  abstract removeOld(projection: string): Promise<boolean>;

  /**
   * Writes, checkpoint and stop in one atomic step, to the active version or the one being built; `fenced` when version, declared
   * version or checkpoint aren't the expected ones. A stop is noted, and taken away, by a commit that writes nothing and goes no further.
   */
  abstract commit(commit: ProjectionCommit): Promise<'committed' | 'fenced'>;

  /** The documents under `keys`, in their order, null where there is none: of the active version unless another is named. */
  abstract getMany(
    name: CollectionName,
    keys: readonly string[],
    version?: number,
  ): Promise<readonly (Document | null)[]>;

  /** A page of a sorted list of the active version. Its cost doesn't grow with the list. */
  abstract page(request: PageRequest): Promise<readonly ListedDocument[]>;

  /**
   * Makes `owner` a holder of the lease until `nowMs + leaseMs` where it is one already, or fewer than `seats` others are. A time of 0
   * gives it back, and changes nothing else. Times of others that are over don't count, nor those that would last for more than twice `leaseMs`: they were taken under
   * a later clock. A lease keeps work from being done twice; what makes it harmless is the fencing of commits.
   *
   * @returns who holds it now, sorted.
   */
  abstract lease(lease: Lease): Promise<readonly string[]>;

  /**
   * The name of the installation that keeps its read models here: the same for all processes that share them. `candidate`
   * becomes it where there is none, and is always taken where a process has the read store for itself.
   */
  abstract installationId(candidate: string): Promise<string>;

  abstract close(): Promise<void>;
}

/** Something that `owner` has for a time, alone or with others. */
export interface Lease {
  readonly name: string;
  /** Unique for each running process. */
  readonly owner: string;
  readonly nowMs: number;
  readonly leaseMs: number;
  /** How many may hold it at the same time; one when absent. */
  readonly seats?: number;
}
