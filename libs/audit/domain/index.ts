import type { Decider } from '@app/event-sourcing';
import type { SealEvent } from './events';
import { decide, evolve, type LastSeal, type SealCommand, type SealRejection } from './seals';
import { sealSchemas } from './schemas';

export * from './events';
export { SEALS_STREAM_ID } from './seals';
export type { LastSeal, SealCommand, SealRejection } from './seals';
export { sealSchemas } from './schemas';

export const sealDecider: Decider<LastSeal, SealCommand, SealEvent, SealRejection> = {
  schemas: sealSchemas,
  initialState: { hash: '', keyId: null },
  dependsOnLast: 1,
  evolve,
  decide,
};
