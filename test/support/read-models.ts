/** A version of a projection, or of one of its partitions, as stored in the read store. */
export interface StoredVersion {
  readonly projection: string;
  readonly version: number;
  readonly declaredVersion: number;
  readonly isActive: boolean;
  /** Position of the checkpoint; null before the first. */
  readonly position: number | null;
  readonly completeFrom: number;
}

/** The contents of a read store, bypassing the service: for tests that inspect it, or pause it at some moment. */
export interface ReadModels {
  /** For a projection or a partition. */
  versionsOf(projection: string): readonly StoredVersion[] | Promise<readonly StoredVersion[]>;
  /** How much is left of the projection's versions that are neither live nor being built. */
  leftovers(projection: string): number | Promise<number>;
  /** Everything that reads use, without version numbers: the same for read models built from the same log. */
  contents(): readonly string[] | Promise<readonly string[]>;
  /** Blocks all writers until `letGo`, or until their time-out. */
  hold(): void | Promise<void>;
  letGo(): void | Promise<void>;
  close(): void;
}
