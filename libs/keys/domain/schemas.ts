import type { EventSchemas } from '@app/event-sourcing';
import type { DataKeyEvent } from './events';

/** The current schema version of every event in the keys' stream, with the steps that lift older ones. */
export const dataKeySchemas: EventSchemas<DataKeyEvent> = {
  DataKeyCreated: { version: 1 },
  DataKeyRewrapped: { version: 1 },
};
