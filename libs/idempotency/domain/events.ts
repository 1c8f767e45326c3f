/*
 * Stored events are a storage format: never rename a type or a field, never change a meaning. Add optional fields only;
 * otherwise raise the schema version in ./schemas.ts, add an upcaster and a spec that holds the old JSON.
 */
import type { EncryptedSecret } from '@app/keys/domain';
import type { DomainEvent } from '@app/event-sourcing';

/** A request that came with an Idempotency-Key was answered: each one with the same key is answered so, for ever. */
export type RequestAnswered = DomainEvent<
  'RequestAnswered',
  {
    /** Method and path. */
    readonly operation: string;
    /** The data key that the stream's name, the fingerprint and the answer's key are derived from. */
    readonly dataKeyId: string;
    /** HMAC-SHA256 of the canonical body, hex. */
    readonly fingerprint: string;
    /** The answer's JSON, encrypted under a key derived from the data key: it may hold a secret that is shown once. */
    readonly answer: EncryptedSecret;
  }
>;
