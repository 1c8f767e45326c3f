import type { EventSchemas } from '@app/event-sourcing';
import type { DataKeyEvent } from './events';

/** The current schema version of every event in the keys' stream, with upcasters for older versions. */
export const dataKeySchemas: EventSchemas<DataKeyEvent> = {
  DataKeyCreated: { version: 1 },
  DataKeyRewrapped: { version: 1 },
  DataKeyRetired: { version: 1 },
};
