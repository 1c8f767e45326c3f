import { SEALS_STREAM_ID, sealSchemas } from '@app/audit/domain';
import {
  AUDIT_READS_STREAM_PREFIX,
  AUDITOR_STREAM_PREFIX,
  auditorIdOfStream,
  auditorSchemas,
  auditReadSchemas,
  isAuditorId,
  isAuditReadsStream,
} from '@app/auditors/domain';
import type { EventSchema } from '@app/event-sourcing';
import { answeredRequestSchemas, REQUEST_STREAM_PREFIX } from '@app/idempotency/domain';
import { INSTALLATIONS_STREAM_ID, installationSchemas } from '@app/installations/domain';
import { DATA_KEYS_STREAM_ID, dataKeySchemas } from '@app/keys/domain';
import { isMerchantId, MERCHANT_STREAM_PREFIX, merchantSchemas } from '@app/merchants/domain';
import { isPaymentStream, PAYMENT_STREAM_PREFIX, paymentSchemas } from '@app/payments/domain';
import { projectionRepairSchemas, projectionStreamId } from '@app/projections/repair';
import { isDeliveryId, WEBHOOK_DELIVERY_STREAM_PREFIX, webhookDeliverySchemas } from '@app/webhooks/domain';

interface OwnStreams {
  /** Of the names of all such streams, or the name of the one that there is. */
  readonly prefix: string;
  /** Whether the service gives such names. One that only begins like it is somebody else's. */
  readonly isOurs: (streamId: string) => boolean;
  readonly schemas: Readonly<Record<string, EventSchema>>;
}

const one = (name: string, schemas: OwnStreams['schemas']): OwnStreams => ({
  prefix: name,
  isOurs: (streamId) => streamId === name,
  schemas,
});
const all = (prefix: string, schemas: OwnStreams['schemas'], isOurs: OwnStreams['isOurs'] = () => true) => ({
  prefix,
  isOurs,
  schemas,
});

/** Every kind of stream whose events are leaves of the tree. docs/audit.md lists them for auditors. */
const SEALED: readonly OwnStreams[] = [
  all(PAYMENT_STREAM_PREFIX, paymentSchemas, isPaymentStream),
  all(MERCHANT_STREAM_PREFIX, merchantSchemas, (id) => isMerchantId(id.slice(MERCHANT_STREAM_PREFIX.length))),
  all(WEBHOOK_DELIVERY_STREAM_PREFIX, webhookDeliverySchemas, (id) =>
    isDeliveryId(`whd_${id.slice(WEBHOOK_DELIVERY_STREAM_PREFIX.length)}`),
  ),
  all(REQUEST_STREAM_PREFIX, answeredRequestSchemas),
  all(projectionStreamId(''), projectionRepairSchemas),
  all(AUDITOR_STREAM_PREFIX, auditorSchemas, (id) => isAuditorId(auditorIdOfStream(id))),
  all(AUDIT_READS_STREAM_PREFIX, auditReadSchemas, isAuditReadsStream),
  one(DATA_KEYS_STREAM_ID, dataKeySchemas),
  one(INSTALLATIONS_STREAM_ID, installationSchemas),
];
const SEALS = one(SEALS_STREAM_ID, sealSchemas);

/** Selects what is sealed, and some that begins like it. */
export const SEALED_PREFIXES: readonly string[] = SEALED.map(({ prefix }) => prefix);

/** Whether events of the stream are leaves of the tree. Tells by the name alone, so that anyone can. */
export function isSealedStream(streamId: string): boolean {
  return find(SEALED, streamId) !== undefined;
}

/** Whether the stream name is one that this service uses. */
export function isStreamOfOurs(streamId: string): boolean {
  return isSealedStream(streamId) || SEALS.isOurs(streamId);
}

/** Whether this release can read events of this type and version in a stream of ours. */
export function isKnownEvent(streamId: string, type: string, schemaVersion: number): boolean {
  const schemas = find([...SEALED, SEALS], streamId)?.schemas ?? {};
  return Object.hasOwn(schemas, type) && schemaVersion <= (schemas[type]?.version ?? 0);
}

function find(kinds: readonly OwnStreams[], streamId: string): OwnStreams | undefined {
  return kinds.find(({ prefix, isOurs }) => streamId.startsWith(prefix) && isOurs(streamId));
}
