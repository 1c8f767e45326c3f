/*
 * Stored events are a storage format: never rename a type or a field, never change a meaning. Only add optional fields;
 * for anything else raise the schema version in ./schemas.ts, and add an upcaster and a spec with the old JSON.
 */
import type { DomainEvent } from '@app/event-sourcing';
import type { EncryptedSecret } from './encrypted-secret';

/**
 * - `FINGERPRINTS`: compares repeated requests.
 * - `EVENT_MACS`: proves that this installation wrote an event.
 * - `SEALS`: the seed of the Ed25519 key that signs seals of the history.
 */
export type DataKeyPurpose = 'FINGERPRINTS' | 'EVENT_MACS' | 'SEALS';

/** From now on this key is used for its purpose; older ones remain, to check what was made with them. */
export type DataKeyCreated = DomainEvent<
  'DataKeyCreated',
  { readonly keyId: string; readonly purpose: DataKeyPurpose; readonly wrapped: EncryptedSecret }
>;

/** The same key, encrypted under another master key: `wrapped` replaces what was stored before. */
export type DataKeyRewrapped = DomainEvent<
  'DataKeyRewrapped',
  { readonly keyId: string; readonly wrapped: EncryptedSecret }
>;

/** What was made with the key before this event stays valid; what is made with it from here on is not. */
export type DataKeyRetired = DomainEvent<'DataKeyRetired', { readonly keyId: string }>;

export type DataKeyEvent = DataKeyCreated | DataKeyRewrapped | DataKeyRetired;
