import { accepted, type Decision, type StoredEvent, unreachable } from '@app/event-sourcing';
import type { DataKeyCreated, DataKeyEvent, DataKeyPurpose } from './events';
import { type EncryptedSecret, isSameEncryptedSecret, type ReencryptedSecret } from './encrypted-secret';

/** The one stream with all data keys of an installation. */
export const DATA_KEYS_STREAM_ID = 'keys';

export interface DataKey {
  readonly keyId: string;
  readonly purpose: DataKeyPurpose;
  readonly wrapped: EncryptedSecret;
  /** The master key under which it was created. */
  readonly masterKeyId: string;
  readonly createdAt: string;
  /** Position in the log from which nothing made with it counts; null while it is in use. */
  readonly retiredAt: bigint | null;
}

/** All keys, oldest first. */
export type DataKeys = readonly DataKey[];

/** A key to be created, in place of the current one of its purpose. */
export interface NewDataKey {
  readonly keyId: string;
  readonly purpose: DataKeyPurpose;
  readonly wrapped: EncryptedSecret;
  /** The key that it replaces; null for the first one. */
  readonly replaces: string | null;
}

export interface CreateDataKeys {
  readonly type: 'CreateDataKeys';
  readonly keys: readonly NewDataKey[];
}

/** Replaces a stored key by its encryption under another master key. */
export interface RewrapDataKey extends ReencryptedSecret {
  readonly type: 'RewrapDataKey';
  readonly keyId: string;
}

/** Nothing is made with a replaced key any more. */
export interface RetireDataKey {
  readonly type: 'RetireDataKey';
  readonly keyId: string;
}

export type DataKeyCommand = CreateDataKeys | RewrapDataKey | RetireDataKey;

/** The key that is used for the purpose, if there is one. */
export function currentKey(keys: DataKeys, purpose: DataKeyPurpose): DataKey | null {
  return keys.findLast((key) => key.purpose === purpose) ?? null;
}

/** If several processes start at once, the first one wins; the others have nothing left to decide. */
export function decide(command: DataKeyCommand, keys: DataKeys): Decision<DataKeyEvent, never> {
  switch (command.type) {
    case 'CreateDataKeys':
      return accepted(...command.keys.filter((key) => replacesCurrent(key, keys)).map(created));
    case 'RewrapDataKey': {
      const { keyId, from, to } = command;
      const isStored = keys.some((key) => key.keyId === keyId && isSameEncryptedSecret(key.wrapped, from));
      return isStored ? accepted<DataKeyEvent>({ type: 'DataKeyRewrapped', data: { keyId, wrapped: to } }) : accepted();
    }
    case 'RetireDataKey': {
      const { keyId } = command;
      const key = keys.find((stored) => stored.keyId === keyId);
      const isReplaced = key !== undefined && currentKey(keys, key.purpose) !== key;
      return isReplaced && key.retiredAt === null
        ? accepted<DataKeyEvent>({ type: 'DataKeyRetired', data: { keyId } })
        : accepted();
    }
    default:
      return unreachable(command);
  }
}

function replacesCurrent({ purpose, replaces }: NewDataKey, keys: DataKeys): boolean {
  return (currentKey(keys, purpose)?.keyId ?? null) === replaces;
}

function created({ keyId, purpose, wrapped }: NewDataKey): DataKeyCreated {
  return { type: 'DataKeyCreated', data: { keyId, purpose, wrapped } };
}

export function evolve(keys: DataKeys, event: StoredEvent<DataKeyEvent>): DataKeys {
  switch (event.type) {
    case 'DataKeyCreated': {
      const { wrapped } = event.data;
      const key = { masterKeyId: wrapped.keyId, createdAt: event.metadata.recordedAt, retiredAt: null };
      return [...keys, { ...event.data, ...key }];
    }
    case 'DataKeyRewrapped': {
      const { keyId, wrapped } = event.data;
      return keys.map((key) => (key.keyId === keyId ? { ...key, wrapped } : key));
    }
    case 'DataKeyRetired': {
      const { keyId } = event.data;
      return keys.map((key) => (key.keyId === keyId ? { ...key, retiredAt: event.position } : key));
    }
    default:
      return unreachable(event);
  }
}
