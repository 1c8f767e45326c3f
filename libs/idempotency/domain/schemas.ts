import type { EventSchemas } from '@app/event-sourcing';
import type { RequestAnswered } from './events';

/** The current schema version of every event in a request's stream, with upcasters for older versions. */
export const answeredRequestSchemas: EventSchemas<RequestAnswered> = {
  RequestAnswered: { version: 1 },
};
