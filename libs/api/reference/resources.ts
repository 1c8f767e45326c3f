import { auditLogDocs, auditViewDocs } from '@app/audit/http/audit.docs';
import { auditorDocs } from '@app/auditors/http/auditors.docs';
import { balanceOperations, balanceSchemas } from '@app/ledger/http/balances.docs';
import { merchantDocs } from '@app/merchants/http/merchants.docs';
import { damagedStreamDocs } from '@app/platform/http/operations/damaged-streams.docs';
import { projectionDocs } from '@app/projections/http/projections.docs';
import { allWebhookDeliveryDocs } from '@app/webhooks/http/all-webhook-deliveries.docs';
import { listDocs } from '@app/payments/http/lists.docs';
import { operationsDocs } from '@app/platform/http/operations/operations.docs';
import { paymentDocs } from '@app/payments/http/payments.docs';
import { refundDocs } from '@app/payments/http/refunds.docs';
import { webhookDeliveryDocs } from '@app/webhooks/http/webhook-deliveries.docs';
import type { ResourceDocs } from '@app/platform/http/openapi/operation-docs';

/** The documentation of all resources, in the order of the reference. */
export const RESOURCES: readonly ResourceDocs[] = [
  paymentDocs,
  refundDocs,
  {
    ...listDocs,
    schemas: { ...listDocs.schemas, ...balanceSchemas },
    operations: { ...listDocs.operations, ...balanceOperations },
  },
  webhookDeliveryDocs,
  merchantDocs,
  allWebhookDeliveryDocs,
  projectionDocs,
  damagedStreamDocs,
  auditorDocs,
  operationsDocs,
  auditLogDocs,
  auditViewDocs,
];
