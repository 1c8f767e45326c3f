/*
 * Stored events are a storage format: never rename a type or a field, never change a meaning. Only add optional fields;
 * for anything else raise the schema version in ./schemas.ts, and add an upcaster and a spec with the old JSON.
 * docs/audit.md publishes these two for auditors.
 */
import type { DomainEvent } from '@app/event-sourcing';

/** Which event a leaf of the tree stands for, and the hash of that event. */
export interface LeafFacts {
  readonly streamId: string;
  readonly revision: number;
  readonly hash: string;
}

/** A signed head of the Merkle tree over all events of the log, in the log's order. */
export type HistorySealed = DomainEvent<
  'HistorySealed',
  {
    /** How many leaves the tree has. */
    readonly size: number;
    readonly root: string;
    readonly lastLeaf: LeafFacts;
    /** The log position of the last leaf, in decimal. Only the same log has the same positions. */
    readonly position: string;
    /** The roots of the perfect subtrees, the largest first, so that the tree goes on without a look at older events. */
    readonly peaks: readonly string[];
    /**
     * Each stream that has leaves since the seal before, and its last one, in the order of these. `hash` is its first
     * 16 digits: it names where to look, and proves nothing.
     */
    readonly streamEnds: readonly LeafFacts[];
    /** Leaves since the seal before that the service itself did not accept as its own. */
    readonly refused: readonly Pick<LeafFacts, 'streamId' | 'revision'>[];
    /** The hash of the event before this one in the stream of seals; empty for the first. */
    readonly previousSeal: string;
    readonly keyId: string;
    readonly sealedAt: string;
    /** Ed25519, base64. */
    readonly signature: string;
  }
>;

/** From here on seals are signed with this key, and no other. */
export type SealKeyIntroduced = DomainEvent<
  'SealKeyIntroduced',
  {
    readonly keyId: string;
    /** The raw 32 bytes of an Ed25519 public key, base64. */
    readonly publicKey: string;
    /** The key that it replaces; null for the first one. */
    readonly previousKeyId: string | null;
    readonly previousSeal: string;
    readonly introducedAt: string;
    /** By the new key, base64. */
    readonly signature: string;
    /** By the key that it replaces, base64; null for the first one. */
    readonly previousSignature: string | null;
  }
>;

export type SealEvent = HistorySealed | SealKeyIntroduced;
export type Seal = HistorySealed['data'];
export type KeyIntroduction = SealKeyIntroduced['data'];
