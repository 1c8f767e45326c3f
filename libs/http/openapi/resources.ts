import { merchantDocs } from '../admin/merchants.docs';
import { damagedStreamDocs } from '../admin/damaged-streams.docs';
import { projectionDocs } from '../admin/projections.docs';
import { allWebhookDeliveryDocs } from '../admin/webhook-deliveries.docs';
import { listDocs } from '../lists/lists.docs';
import { operationsDocs } from '../operations/operations.docs';
import { paymentDocs } from '../payments/payments.docs';
import { refundDocs } from '../payments/refunds.docs';
import { webhookDeliveryDocs } from '../webhooks/webhook-deliveries.docs';
import type { ResourceDocs } from './operation-docs';

/** The documentation of every resource, in the order of the reference. */
export const RESOURCES: readonly ResourceDocs[] = [
  paymentDocs,
  refundDocs,
  listDocs,
  webhookDeliveryDocs,
  merchantDocs,
  allWebhookDeliveryDocs,
  projectionDocs,
  damagedStreamDocs,
  operationsDocs,
];
