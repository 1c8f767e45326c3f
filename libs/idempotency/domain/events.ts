/*
 * Stored events are a storage format: never rename a type or a field, never change a meaning. Only add optional fields;
 * for anything else raise the schema version in ./schemas.ts, and add an upcaster and a spec with the old JSON.
 */
import type { EncryptedSecret } from '@app/keys/domain';
import type { DomainEvent } from '@app/event-sourcing';

/** A request with an Idempotency-Key was answered. Every repeat with the same key gets this answer, permanently. */
export type RequestAnswered = DomainEvent<
  'RequestAnswered',
  {
    /** Method and path. */
    readonly operation: string;
    /** The data key from which the stream's name, the fingerprint and the answer's key are derived. */
    readonly dataKeyId: string;
    /** HMAC-SHA256 of the canonical body, hex. */
    readonly fingerprint: string;
    /**
     * The answer's JSON, encrypted with a key derived from the data key: it may contain a secret that is shown once.
     */
    readonly answer: EncryptedSecret;
  }
>;
