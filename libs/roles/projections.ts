import { join } from 'node:path';
import type { Projection } from '@app/kernel';
import {
  balancesProjection,
  paymentsProjection,
  processingProjection,
  webhookDeliveriesProjection,
} from '@app/projections';
import { codeHashOf } from '@app/runtime';

/** All read models of the service. */
export const PROJECTIONS = [
  paymentsProjection,
  processingProjection,
  balancesProjection,
  webhookDeliveriesProjection,
] as unknown as readonly Projection[];

let codeHash: string | null = null;

/** Hash over the code that makes them: another one's documents are built anew. Read from its files once. */
export function projectingCodeHash(): string {
  codeHash ??= codeHashOf(['kernel', 'domain', 'projections'].map((name) => join(__dirname, '..', name)));
  return codeHash;
}
