import type { Projection } from '@app/event-sourcing';
import { PAYMENT_STREAM_PREFIX, type PaymentEvent, paymentSchemas } from '@app/payments/domain';
import { balance } from './balance';

/**
 * What merchants are owed, by double entry. A projection of its own: should an event ever not balance, this model alone
 * stops, and payments go on.
 */
export const balancesProjection: Projection<PaymentEvent> = {
  name: 'balances',
  declaredVersion: 1,
  streamPrefixes: [PAYMENT_STREAM_PREFIX],
  types: ['PaymentCaptured', 'RefundRequested', 'RefundCompleted', 'RefundFailed'],
  schemas: paymentSchemas,
  collections: [balance],
};

export const balanceList = { projection: balancesProjection.name, collection: balance.name };
