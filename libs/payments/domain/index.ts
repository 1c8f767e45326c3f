import type { Decider } from '@app/event-sourcing';
import type { PaymentCommand, PaymentRejection } from './commands';
import { decide } from './decide';
import type { PaymentEvent } from './events';
import { evolve } from './evolve';
import type { Payment } from './payment';
import { paymentSchemas } from './schemas';

export * from './commands';
export type { Dispute, DisputeStatus } from './disputes';
export * from './events';
export { isDamagedPaymentOf } from './damaged-payment';
export * from './failures';
export * from './gateway-disputes';
export * from './idempotency';
export * from './ids';
export * from './next-step';
export * from './payment';
export * from './public-events';
export { MAX_REFUNDS, type Refund, type RequestedRefund } from './refunds';
export { paymentSchemas } from './schemas';

export const paymentDecider: Decider<Payment | null, PaymentCommand, PaymentEvent, PaymentRejection> = {
  schemas: paymentSchemas,
  initialState: null,
  evolve,
  decide,
};
