import type { EventSchemas } from '@app/event-sourcing';
import type { PaymentEvent } from './events';

/** The current schema version of every event in a payment's stream, with the upcasters for older versions. */
export const paymentSchemas: EventSchemas<PaymentEvent> = {
  PaymentCreated: { version: 1 },
  PaymentAuthenticated: { version: 1 },
  PaymentAuthorized: { version: 1 },
  PaymentCaptureRequested: { version: 1 },
  PaymentCaptured: { version: 1 },
  PaymentCaptureRefused: { version: 1 },
  PaymentCancellationRequested: { version: 1 },
  PaymentExpiryRequested: { version: 1 },
  PaymentVoided: { version: 1 },
  PaymentFailed: { version: 1 },
  PaymentCancelled: { version: 1 },
  PaymentExpired: { version: 1 },
  GatewayStepDeferred: { version: 1 },
  RefundRequested: { version: 1 },
  RefundCompleted: { version: 1 },
  RefundFailed: { version: 1 },
  DisputeOpened: { version: 1 },
  DisputeWon: { version: 1 },
  DisputeLost: { version: 1 },
};
