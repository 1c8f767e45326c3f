import type { Projection } from '@app/event-sourcing';
import { PAYMENT_STREAM_PREFIX, type PaymentEvent, paymentSchemas } from '@app/payments/domain';
import { paymentsToProcess } from './payments-to-process';

/** The projection of outstanding gateway calls. */
export const processingProjection: Projection<PaymentEvent> = {
  name: 'processing',
  declaredVersion: 3,
  streamPrefixes: [PAYMENT_STREAM_PREFIX],
  schemas: paymentSchemas,
  collections: [paymentsToProcess],
};

export const paymentsToProcessList = { projection: processingProjection.name, collection: paymentsToProcess.name };
