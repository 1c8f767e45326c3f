import type { Projection } from '@app/event-sourcing';
import { PAYMENT_STREAM_PREFIX, type PaymentEvent, paymentSchemas } from '@app/payments/domain';
import { balance } from './balance';
import { journalTrail } from './journal-entry';

/**
 * Merchants' balances and journals, by double entry. A separate projection, so that an event that doesn't balance stops this model
 * only, and payments continue.
 */
export const balancesProjection: Projection<PaymentEvent> = {
  name: 'balances',
  declaredVersion: 2,
  streamPrefixes: [PAYMENT_STREAM_PREFIX],
  types: ['PaymentCaptured', 'RefundRequested', 'RefundCompleted', 'RefundFailed', 'DisputeOpened', 'DisputeWon'],
  schemas: paymentSchemas,
  collections: [balance],
};

export const balanceList = { projection: balancesProjection.name, collection: balance.name };

export const journalEntryList = { projection: balancesProjection.name, collection: journalTrail.name };
