import type { Projection } from '@app/event-sourcing';
import { balancesProjection } from '@app/ledger/read-models/projection';
import { paymentsProjection } from '@app/payments/read-models/projection';
import { processingProjection } from '@app/payments/read-models/processing-projection';
import { webhookDeliveriesProjection } from '@app/webhooks/read-models/projection';

/** All read models of the service: what it keeps, and what is compared with the log. */
export const PROJECTIONS = [
  paymentsProjection,
  processingProjection,
  balancesProjection,
  webhookDeliveriesProjection,
] as unknown as readonly Projection[];
