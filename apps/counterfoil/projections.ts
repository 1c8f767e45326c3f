import type { Projection } from '@app/event-sourcing';
import { balancesProjection } from '@app/ledger/read-models/projection';
import { paymentsProjection } from '@app/payments/read-models/projection';
import { processingProjection } from '@app/payments/read-models/processing-projection';
import { webhookDeliveriesProjection } from '@app/webhooks/read-models/projection';
import { wholeName } from '@app/projections/partitions';

/** All read models of the service. */
export const PROJECTIONS = [
  paymentsProjection,
  processingProjection,
  balancesProjection,
  webhookDeliveriesProjection,
] as unknown as readonly Projection[];

/** This release's declared version of the projection, or of the one that it is a partition of. */
export function declaredVersionOf(projection: string): number | null {
  return PROJECTIONS.find(({ name }) => name === wholeName(projection))?.declaredVersion ?? null;
}
