import type { Decider } from '@app/event-sourcing';
import type { MerchantCommand, MerchantRejection } from './commands';
import { decide } from './decide';
import type { MerchantEvent } from './events';
import { evolve, type Merchant } from './merchant';
import { merchantSchemas } from './schemas';

export * from './commands';
export { DEFAULT_SETTINGS, MAX_LIVE_SECRETS, MAX_LIVE_TOKENS, MAX_ROTATION_GRACE_SECONDS } from './decide';
export * from './events';
export { BASIS_POINTS_PER_WHOLE, feeOf, type FeeSchedule, isFeeSchedule, NO_FEES } from './fees';
export * from './ids';
export * from './merchant';
export { merchantSchemas } from './schemas';
export * from './scopes';

export const merchantDecider: Decider<Merchant | null, MerchantCommand, MerchantEvent, MerchantRejection> = {
  schemas: merchantSchemas,
  initialState: null,
  evolve,
  decide,
};
