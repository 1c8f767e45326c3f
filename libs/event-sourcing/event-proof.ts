import type { HashFunction } from './environment';
import type { EventMetadata, RecordedEvent } from './event';

/** The previous hash of a stream's first event. */
export const NO_PREVIOUS_HASH = '';

/** The metadata that prove an event: only this installation can make the MAC, and everyone can check the hash. */
export type EventProof = Pick<EventMetadata, 'macKeyId' | 'mac' | 'hash'>;

/** An event without its proof. */
export interface EventContent {
  readonly streamId: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  /** The exact JSON text that is stored. */
  readonly data: string;
  readonly metadata: Omit<EventMetadata, keyof EventProof>;
}

/**
 * What the MAC covers, to be framed as netstrings: stream, revision, id, type, recorded time, data, previous hash,
 * schema version, correlation, causation (empty for null), actor. The actor is included so that nobody can change who
 * acted unnoticed.
 */
export function contentParts({ streamId, revision, id, type, data, metadata }: EventContent): readonly string[] {
  return [
    streamId,
    String(revision),
    id,
    type,
    metadata.recordedAt,
    data,
    metadata.previousHash,
    String(metadata.schemaVersion),
    metadata.correlationId,
    metadata.causationId ?? '',
    metadata.actor,
  ];
}

/** The hash of an event: SHA-256 over its content, the id of the MAC's key and the MAC, each framed as a netstring. */
export function eventHash(
  hash: HashFunction,
  event: Omit<EventContent, 'metadata'> & { readonly metadata: Omit<EventMetadata, 'hash'> },
): string {
  return hash([...contentParts(event), event.metadata.macKeyId, event.metadata.mac]);
}

export type Verdict =
  | { readonly kind: 'PROVEN' }
  /** No key with this id is loaded: it may be new. */
  | { readonly kind: 'UNKNOWN_KEY' }
  | { readonly kind: 'FORGED'; readonly reason: string };

/** Makes and checks the proofs of events. */
export abstract class EventProofs {
  /** @throws EventStoreUnavailableError while the keys are not loaded. */
  abstract prove(content: EventContent): EventProof;

  /** Whether this installation wrote the event exactly as it stands there. */
  abstract check(event: RecordedEvent, metadata: EventMetadata): Verdict;

  /** Reads the keys again. @throws EventStoreUnavailableError */
  abstract refresh(): Promise<void>;
}
