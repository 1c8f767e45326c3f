/*
 * Stored events are a storage format: never rename a type or a field, never change a meaning. Only add optional fields;
 * for anything else raise the schema version in ./schemas.ts, and add an upcaster and a spec with the old JSON.
 */
import type { DomainEvent } from '@app/event-sourcing';
import type { EncryptedSecret } from './encrypted-secret';

/** From now on this key makes new fingerprints; older keys remain, to compare with theirs. */
export type DataKeyCreated = DomainEvent<
  'DataKeyCreated',
  { readonly keyId: string; readonly wrapped: EncryptedSecret }
>;

/** The same key, encrypted under another master key: `wrapped` replaces what was stored before. */
export type DataKeyRewrapped = DomainEvent<
  'DataKeyRewrapped',
  { readonly keyId: string; readonly wrapped: EncryptedSecret }
>;

export type DataKeyEvent = DataKeyCreated | DataKeyRewrapped;
