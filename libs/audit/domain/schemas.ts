import type { EventSchemas } from '@app/event-sourcing';
import type { SealEvent } from './events';

/** The current schema version of every event in the seals' stream, with upcasters for older versions. */
export const sealSchemas: EventSchemas<SealEvent> = {
  HistorySealed: { version: 1 },
  SealKeyIntroduced: { version: 1 },
};
