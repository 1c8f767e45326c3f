import type { ResourceDocs } from '@app/platform/http/openapi/operation-docs';
import { INTEGER, MERCHANT_ID, object, orNull, pageOf, ref, TEXT } from '@app/platform/http/openapi/schema';

const LOG = 'Log';
const VIEWS = 'Views';
const POSITION = { type: 'string', pattern: '^[0-9]+$' };
const HEADERS = ['Cache-Control'] as const;

export const auditLogDocs: ResourceDocs = {
  tag: { name: LOG, description: 'The events as they are stored, of all merchants.' },
  schemas: {
    StoredEvent: object({
      position: POSITION,
      streamId: TEXT,
      revision: INTEGER,
      id: TEXT,
      type: TEXT,
      data: TEXT,
      metadata: TEXT,
    }),
  },
  operations: {
    'GET /audit/v1/events': {
      operationId: 'auditEvents',
      tag: LOG,
      summary: 'Read the log',
      description:
        'Returns the events in the order of the log, exactly as they are stored, foreign and forged ones too: nothing is judged, left out or ' +
        'masked. A page ends at 512 KiB of texts. The pages of one run, from a first page through each `nextCursor`, end where the log ended ' +
        'at the first page, so what your own reads add to the log does not keep you reading. To go on later, send the `position` of the last ' +
        'event as `after`. On EventStoreDB, an event of the type `$deleted` says that somebody deleted or hid events of the stream.',
      answers: {
        200: { description: 'A page of events.', schema: pageOf(ref('StoredEvent')), headers: HEADERS },
      },
    },
    'GET /audit/v1/streams/:streamId/events': {
      operationId: 'auditStreamEvents',
      tag: LOG,
      summary: 'Read a stream',
      description:
        'Returns the events of one stream, as `auditEvents` does; none if there is no such stream. The pages of one run end where the stream ' +
        'ended at the first page. `HISTORY_DAMAGED`: somebody deleted the stream.',
      answers: {
        200: { description: 'A page of events.', schema: pageOf(ref('StoredEvent')), headers: HEADERS },
      },
      errors: ['ROUTE_NOT_FOUND'],
    },
    'GET /audit/v1/head': {
      operationId: 'auditHead',
      tag: LOG,
      summary: 'Read where the log ends',
      description:
        'Returns the position of the last event. If it is less than one that you have seen, the log was cut.',
      answers: {
        200: { description: 'The end of the log.', schema: object({ position: orNull(POSITION) }), headers: HEADERS },
      },
    },
  },
};

export const auditViewDocs: ResourceDocs = {
  tag: { name: VIEWS, description: 'What the service makes of the log, for any merchant.' },
  schemas: {},
  operations: {
    'GET /audit/v1/payments/:paymentId': {
      operationId: 'auditPayment',
      tag: VIEWS,
      summary: 'Read a payment',
      description:
        'Returns the payment as its merchant sees it, and whose it is. It is folded from the log. The links for the customer are left out.',
      answers: {
        200: {
          description: 'The payment.',
          schema: object({ merchantId: MERCHANT_ID, payment: ref('Payment') }),
          headers: HEADERS,
        },
      },
      errors: ['PAYMENT_NOT_FOUND', 'ROUTE_NOT_FOUND'],
    },
    'GET /audit/v1/merchants': {
      operationId: 'auditMerchants',
      tag: VIEWS,
      summary: 'List the merchants',
      description: 'Returns all merchants, the newest first, without their secrets and tokens.',
      answers: { 200: { description: 'A page of merchants.', schema: pageOf(ref('MerchantItem')), headers: HEADERS } },
    },
    'GET /audit/v1/damaged-streams': {
      operationId: 'auditDamagedStreams',
      tag: VIEWS,
      summary: 'List damaged streams',
      description: 'Returns the damaged streams that the answering process has found since it started.',
      answers: { 200: { description: 'A page of streams.', schema: pageOf(ref('DamagedStream')), headers: HEADERS } },
    },
  },
};
