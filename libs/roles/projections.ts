import type { Projection } from '@app/kernel';
// Not by way of the index: the thread that builds read models, which loads this, needs nothing of what answers queries.
import { balancesProjection } from '@app/projections/balances/projection';
import { wholeName } from '@app/projections/partitions';
import { paymentsProjection } from '@app/projections/payments/projection';
import { processingProjection } from '@app/projections/processing/projection';
import { webhookDeliveriesProjection } from '@app/projections/webhook-deliveries/projection';

/** All read models of the service. */
export const PROJECTIONS = [
  paymentsProjection,
  processingProjection,
  balancesProjection,
  webhookDeliveriesProjection,
] as unknown as readonly Projection[];

/** What this release declares of the projection, or of the one that it is a part of. */
export function declaredVersionOf(projection: string): number | null {
  return PROJECTIONS.find(({ name }) => name === wholeName(projection))?.declaredVersion ?? null;
}
