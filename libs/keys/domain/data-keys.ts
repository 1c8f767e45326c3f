import { accepted, type Decision, type StoredEvent, unreachable } from '@app/event-sourcing';
import type { DataKeyCreated, DataKeyEvent } from './events';
import { type EncryptedSecret, isSameEncryptedSecret, type ReencryptedSecret } from './encrypted-secret';

/** The one stream with all data keys of an installation. */
export const DATA_KEYS_STREAM_ID = 'keys';

export type DataKey = DataKeyCreated['data'];

/** All keys, oldest first; the last one is current. */
export type DataKeys = readonly DataKey[];

/** Ensures that there is a key. */
export interface CreateFirstDataKey {
  readonly type: 'CreateFirstDataKey';
  readonly keyId: string;
  readonly wrapped: EncryptedSecret;
}

/** Replaces a stored key by its encryption under another master key. */
export interface RewrapDataKey extends ReencryptedSecret {
  readonly type: 'RewrapDataKey';
  readonly keyId: string;
}

export type DataKeyCommand = CreateFirstDataKey | RewrapDataKey;

/** If several processes start at once, the first one wins; the others have nothing left to decide. */
export function decide(command: DataKeyCommand, keys: DataKeys): Decision<DataKeyEvent, never> {
  switch (command.type) {
    case 'CreateFirstDataKey': {
      const { keyId, wrapped } = command;
      return keys.length > 0
        ? accepted()
        : accepted<DataKeyEvent>({ type: 'DataKeyCreated', data: { keyId, wrapped } });
    }
    case 'RewrapDataKey': {
      const { keyId, from, to } = command;
      const isStored = keys.some((key) => key.keyId === keyId && isSameEncryptedSecret(key.wrapped, from));
      return isStored ? accepted<DataKeyEvent>({ type: 'DataKeyRewrapped', data: { keyId, wrapped: to } }) : accepted();
    }
    default:
      return unreachable(command);
  }
}

export function evolve(keys: DataKeys, event: StoredEvent<DataKeyEvent>): DataKeys {
  switch (event.type) {
    case 'DataKeyCreated':
      return [...keys, event.data];
    case 'DataKeyRewrapped': {
      const { keyId, wrapped } = event.data;
      return keys.map((key) => (key.keyId === keyId ? { ...key, wrapped } : key));
    }
    default:
      return unreachable(event);
  }
}
