import type { ReadStoreInspection } from './inspection';

/** A document of a read model: JSON, with money as decimal strings of minor units. */
export type Document = Readonly<Record<string, unknown>>;

/** How far a projection has processed the log, and evidence of which log that was. */
export interface Checkpoint {
  /** Every event up to and including this position is reflected in the documents. */
  readonly position: bigint;
  /** The last event that was projected; null if there was none so far. */
  readonly lastEvent: { readonly id: string; readonly streamId: string; readonly revision: number } | null;
  /** The number of events that this version has processed. */
  readonly events: number;
}

/** One build of a projection's read model. */
export interface ProjectionVersion {
  readonly projection: string;
  readonly version: number;
  /** The declared version for which it is built. Documents of two declared versions are never mixed. */
  readonly declaredVersion: number;
  readonly checkpoint: Checkpoint | null;
  /** The log's head when this version was created: before the checkpoint reaches it, the version is incomplete. */
  readonly completeFrom: bigint | null;
  /** When it was created, in ms since the epoch. */
  readonly startedAtMs: number;
  /** The failed event at which it has stopped; null while it runs. */
  readonly stop: ProjectionStop | null;
}

/** Whether the version has processed everything that was in the log when it was created. */
export function isCompleteVersion({ checkpoint, completeFrom }: ProjectionVersion): boolean {
  return completeFrom === null || (checkpoint?.position ?? -1n) >= completeFrom;
}

/** A failed event, at which a version is stopped until an operator retries or skips it. */
export interface ProjectionStop {
  readonly position: bigint;
  readonly event: { readonly id: string; readonly type: string; readonly streamId: string; readonly revision: number };
  readonly reason: string;
  /** In ms since the epoch. */
  readonly atMs: number;
}

/** The versions of a projection: the live one, which readers see, and the one that is being built to replace it. */
export interface ProjectionVersions {
  readonly active: ProjectionVersion | null;
  readonly building: ProjectionVersion | null;
}

export interface NewVersion {
  readonly declaredVersion: number;
  /** The log's head at the start of the build. */
  readonly head: bigint | null;
  /** In ms since the epoch. */
  readonly nowMs: number;
}

/** Identifies one collection of one projection. */
export interface CollectionName {
  readonly projection: string;
  readonly collection: string;
}

export interface DocumentWrite {
  readonly collection: string;
  readonly key: string;
  /** The whole new document (absolute, never an increment), or null to remove it. */
  readonly document: Document | null;
  /** All list entries of the document; they replace the earlier ones. Empty for a removed document. */
  readonly listEntries: readonly ListEntry[];
}

/** An entry in one sorted list of a collection. A duplicate counts once. */
export interface ListEntry {
  /** Any text, such as a merchant's id. A list exists as long as it has entries. */
  readonly list: string;
  /**
   * ASCII without control characters, compared byte by byte. Entries with the same order are sorted by key, but no page
   * can start between them: lists that are read page by page end each order with the document's key.
   */
  readonly order: string;
}

/** Requests a range of one sorted list. */
export interface PageRequest {
  readonly name: CollectionName;
  readonly list: string;
  readonly direction: 'ascending' | 'descending';
  /** Starts after this order (exclusive) in the reading direction; null starts with the first entry. */
  readonly after: string | null;
  /** Stops before this order (exclusive) in the reading direction; null or absent reads to the end. */
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
  /** The checkpoint that this batch was computed from; if the store has another one, the commit is fenced. */
  readonly expected: Checkpoint | null;
  readonly next: Checkpoint | null;
  readonly writes: readonly DocumentWrite[];
  /** The failed event at which the version stops with this commit; null or absent if it runs on. */
  readonly stop?: ProjectionStop | null;
}

/**
 * The store of read models and to-do lists. All of it is derived from the log and can be rebuilt. A projection writes
 * in fenced, atomic commits; readers see only the live version (`active`). Every adapter runs the same contract suite.
 */
export abstract class ReadStore {
  readonly #lossListeners = new Set<() => void>();
  readonly #advanceListeners = new Set<(projection: string) => void>();

  /**
   * Calls `listener` as soon as the store notices that its content is or may be lost: before the operation that noticed
   * it fails, or before the next one is answered. A store that others can empty may not notice, so callers also poll.
   *
   * @returns a function that removes the listener.
   */
  onLost(listener: () => void): () => void {
    this.#lossListeners.add(listener);
    return () => this.#lossListeners.delete(listener);
  }

  /** For adapters: calls the `onLost` listeners. */
  protected tellLoss(): void {
    for (const listener of [...this.#lossListeners]) listener();
  }

  /**
   * Calls `listener` with the projection's name when the store learns that one of its versions has changed, whoever
   * changed it. This is only a hint, which may be late or missing, so callers also poll.
   *
   * @returns a function that removes the listener.
   */
  onAdvanced(listener: (projection: string) => void): () => void {
    this.#advanceListeners.add(listener);
    return () => this.#advanceListeners.delete(listener);
  }

  /** For adapters: calls the `onAdvanced` listeners. */
  protected tellAdvance(projection: string): void {
    for (const listener of [...this.#advanceListeners]) listener(projection);
  }

  /**
   * Opens the live version, whatever its declared version. Only a projector with the same declared version may continue
   * it; others build their own beside it. If there is none, a new, empty version becomes live.
   *
   * @returns the live version.
   * @throws ReadStoreUnavailableError
   */
  abstract open(projection: string, fresh: NewVersion): Promise<ProjectionVersion>;

  /**
   * Starts over with a new, empty live version, when the checkpoint does not belong to this log. Also abandons a
   * version that is being built.
   *
   * @returns the new live version.
   * @throws ReadStoreUnavailableError
   */
  abstract restart(projection: string, fresh: NewVersion): Promise<ProjectionVersion>;

  /**
   * @returns both versions, read at one moment.
   * @throws ReadStoreUnavailableError
   */
  abstract versions(projection: string): Promise<ProjectionVersions>;

  /**
   * Starts to build a new, empty version beside the live one, which is read and kept up to date meanwhile.
   *
   * @returns the new version, `in-progress` if one is already being built, or `not-open` if there is no live version.
   * @throws ReadStoreUnavailableError
   */
  abstract beginBuild(projection: string, fresh: NewVersion): Promise<ProjectionVersion | 'in-progress' | 'not-open'>;

  /**
   * Makes the version that is being built the live one, in one atomic step: readers see one or the other.
   *
   * @returns `behind` while it is incomplete or behind the live one, `fenced` if it is not the one being built.
   * @throws ReadStoreUnavailableError
   */
  abstract activate(projection: string, version: number): Promise<'activated' | 'behind' | 'fenced'>;

  /**
   * Abandons the version that is being built.
   *
   * @returns false if `version` is not the one being built.
   * @throws ReadStoreUnavailableError
   */
  abstract abandonBuild(projection: string, version: number): Promise<boolean>;

  /**
   * Removes part of what dead versions (neither live nor being built) have left: so little that nobody waits for it.
   *
   * @returns whether there is more to remove.
   * @throws ReadStoreUnavailableError
   */
  abstract removeOld(projection: string): Promise<boolean>;

  /**
   * Stores writes, checkpoint and stop in one atomic step, in the live version or the one being built. A commit without
   * writes and with an unchanged checkpoint sets or clears the stop.
   *
   * @returns `fenced` if version, declared version or checkpoint differ from what the caller expects.
   * @throws ReadStoreUnavailableError: the outcome is unknown.
   */
  abstract commit(commit: ProjectionCommit): Promise<'committed' | 'fenced'>;

  /**
   * @returns the documents in the order of `keys`, null where there is none; from the live version unless `version` is
   * given.
   * @throws ReadStoreUnavailableError
   */
  abstract getMany(
    name: CollectionName,
    keys: readonly string[],
    version?: number,
  ): Promise<readonly (Document | null)[]>;

  /**
   * @returns a page of a sorted list of the live version. Its cost does not grow with the length of the list.
   * @throws ReadStoreUnavailableError
   */
  abstract page(request: PageRequest): Promise<readonly ListedDocument[]>;

  /**
   * Acquires or renews the lease for `owner` until `nowMs + leaseMs`, if `owner` holds it or fewer than `seats` others
   * do. A `leaseMs` of 0 releases it and changes nothing else. Expired leases of others do not count, nor those with
   * more than twice `leaseMs` left, which were taken under a later clock. A lease only saves double work; fenced
   * commits make double work harmless.
   *
   * @returns the owners that hold it now, sorted.
   * @throws ReadStoreUnavailableError
   */
  abstract lease(lease: Lease): Promise<readonly string[]>;

  /**
   * The id of the installation that keeps its read models here, the same for all processes that share them. If there is
   * none, `candidate` becomes it. A read store that belongs to a single process always returns `candidate`.
   *
   * @throws ReadStoreUnavailableError
   */
  abstract installationId(candidate: string): Promise<string>;

  /** For comparisons with the log. It ends with the store. */
  abstract readonly inspection: ReadStoreInspection;

  abstract close(): Promise<void>;
}

/** A request for a lease, which `owner` holds for a limited time, alone or with others. */
export interface Lease {
  readonly name: string;
  /** Unique for each running process. */
  readonly owner: string;
  readonly nowMs: number;
  readonly leaseMs: number;
  /** How many owners may hold it at the same time. Default: one. */
  readonly seats?: number;
}
