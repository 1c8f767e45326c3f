/** A version of a projection, or of a part of one, as the read store holds it. */
export interface StoredVersion {
  readonly projection: string;
  readonly version: number;
  readonly declaredVersion: number;
  readonly isActive: boolean;
  /** Position of the checkpoint; null before the first. */
  readonly position: number | null;
  readonly completeFrom: number;
}

/** What a read store holds, past the service: for tests that look into it, or let it stand still at some moment. */
export interface ReadModels {
  /** Of a projection, or of a part of one. */
  versionsOf(projection: string): readonly StoredVersion[] | Promise<readonly StoredVersion[]>;
  /** How much there is left of the projection's versions that are neither read nor being built. */
  leftovers(projection: string): number | Promise<number>;
  /** All that is read, without the versions' numbers: the same for what was made of the same log. */
  contents(): readonly string[] | Promise<readonly string[]>;
  /** Whoever wants to write waits until `letGo`, or for as long as writers wait. */
  hold(): void | Promise<void>;
  letGo(): void | Promise<void>;
  close(): void;
}
