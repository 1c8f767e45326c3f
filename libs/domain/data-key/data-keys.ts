import { accepted, type Decision, type StoredEvent } from '@app/kernel';
import type { DataKeyCreated, DataKeyEvent } from './events';
import type { Sealed } from './sealed';

/** The one stream that holds all data keys of an installation. */
export const DATA_KEYS_STREAM_ID = 'keys';

export type DataKey = DataKeyCreated['data'];

/** All keys, the oldest first: the last one is current. */
export type DataKeys = readonly DataKey[];

/** Makes sure that there is a key. */
export interface CreateFirstDataKey {
  readonly kind: 'CreateFirstDataKey';
  readonly keyId: string;
  readonly wrapped: Sealed;
}

export type DataKeyCommand = CreateFirstDataKey;

/** Of several processes that start at once one creates the key; for the others there is nothing left to decide. */
export function decide(command: DataKeyCommand, keys: DataKeys): Decision<DataKeyEvent, never> {
  if (keys.length > 0) return accepted();
  return accepted<DataKeyEvent>({
    type: 'DataKeyCreated',
    data: { keyId: command.keyId, wrapped: command.wrapped },
  });
}

export function evolve(keys: DataKeys, event: StoredEvent<DataKeyEvent>): DataKeys {
  return [...keys, event.data];
}
