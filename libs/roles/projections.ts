import type { Projection } from '@app/kernel';
import {
  balancesProjection,
  paymentsProjection,
  processingProjection,
  webhookDeliveriesProjection,
  wholeName,
} from '@app/projections';

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
