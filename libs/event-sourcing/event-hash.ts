import type { HashFunction } from './environment';
import type { EventMetadata } from './event';

/** The previous hash of a stream's first event. */
export const NO_PREVIOUS_HASH = '';

export interface HashedFields {
  readonly streamId: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  /** The exact JSON text that is stored. */
  readonly data: string;
  readonly metadata: Omit<EventMetadata, 'hash'>;
}

/**
 * The hash of one event: SHA-256 over these netstrings in this order: stream, revision, id, type, recorded time, data,
 * previous hash, schema version, correlation, causation (empty for null), actor. The actor is included so that nobody
 * can change who acted unnoticed.
 */
export function eventHash(hash: HashFunction, fields: HashedFields): string {
  const { streamId, revision, id, type, data, metadata } = fields;
  return hash([
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
  ]);
}
