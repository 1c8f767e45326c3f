import type { Decider } from '@app/event-sourcing';
import { type DataKeyCommand, type DataKeys, decide, evolve } from './data-keys';
import type { DataKeyEvent } from './events';
import { dataKeySchemas } from './schemas';

export { currentKey, DATA_KEYS_STREAM_ID } from './data-keys';
export type {
  CreateDataKeys,
  DataKey,
  DataKeyCommand,
  DataKeys,
  NewDataKey,
  RetireDataKey,
  RewrapDataKey,
} from './data-keys';
export * from './events';
export { dataKeySchemas } from './schemas';
export { isSameEncryptedSecret } from './encrypted-secret';
export type { EncryptedSecret, ReencryptedSecret } from './encrypted-secret';

export const dataKeyDecider: Decider<DataKeys, DataKeyCommand, DataKeyEvent, never> = {
  schemas: dataKeySchemas,
  initialState: [],
  passesOverForeign: true,
  evolve,
  decide,
};
