export * from './payments/documents';
export * from './payments/projection';
export * from './payments/queries';
export * from './payments/query-handlers';
export type { WebhookToSend } from './payments/webhooks-to-send';
export * from './processing/projection';
export type { PaymentToProcess } from './processing/payments-to-process';
export * from './progress';
export * from './projector-worker';
