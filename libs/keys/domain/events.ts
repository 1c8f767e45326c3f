/*
 * Stored events are a storage format: never rename a type or a field, never change a meaning. Add optional fields only;
 * otherwise raise the schema version in ./schemas.ts, add an upcaster and a spec that holds the old JSON.
 */
import type { DomainEvent } from '@app/event-sourcing';
import type { EncryptedSecret } from './encrypted-secret';

/** From here on this key makes new fingerprints; older ones stay, to compare what they made. */
export type DataKeyCreated = DomainEvent<
  'DataKeyCreated',
  { readonly keyId: string; readonly wrapped: EncryptedSecret }
>;

/** The same key, wrapped by another master key: `wrapped` takes the place of what was stored before. */
export type DataKeyRewrapped = DomainEvent<
  'DataKeyRewrapped',
  { readonly keyId: string; readonly wrapped: EncryptedSecret }
>;

export type DataKeyEvent = DataKeyCreated | DataKeyRewrapped;
