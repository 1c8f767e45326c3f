import { PAYMENT_EXAMPLE } from './examples';
import type { ResourceDocs } from '@app/platform/http/openapi/operation-docs';
import { CURRENCY, object, pageOf, ref, wholeListOf } from '@app/platform/http/openapi/schema';
import { eventExample } from '@app/api/reference/webhooks';

const SIGNED_DECIMAL = { type: 'string', pattern: '^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$' };

export const listDocs: ResourceDocs = {
  tag: { name: 'Lists', description: "All of a merchant's payments, events and balances." },
  schemas: {
    Balance: object({
      currency: CURRENCY,
      gatewayReceivable: SIGNED_DECIMAL,
      merchantPayable: SIGNED_DECIMAL,
      refundsPending: SIGNED_DECIMAL,
      feesEarned: SIGNED_DECIMAL,
    }),
  },
  operations: {
    'GET /api/v2/payments': {
      operationId: 'listPayments',
      tag: 'Lists',
      summary: 'List payments',
      description:
        'The newest first; all filters that are given have to fit. A payment that existed at the first page appears exactly ' +
        'once, however many are created meanwhile. A page also ends before its payments take more than 1 MiB.',
      answers: {
        200: {
          description: 'A page of payments.',
          schema: pageOf(ref('Payment')),
          example: { items: [PAYMENT_EXAMPLE], nextCursor: null },
          headers: ['Cache-Control'],
        },
      },
      errors: ['READ_MODEL_REBUILDING'],
    },
    'GET /api/v2/events': {
      operationId: 'listEvents',
      tag: 'Lists',
      summary: 'List all events',
      description:
        'What webhooks told, or will tell, of all payments and refunds, in order, whether they have a `notifyUrl` or not. To ' +
        'recover missed webhooks, go on after the last event that you know: hand its `eventId` in as `after`, and ' +
        '`nextCursor` as `cursor` for each further page.',
      answers: {
        200: {
          description: 'A page of events.',
          schema: pageOf(ref('Event')),
          example: { items: [eventExample('payment.completed')], nextCursor: null },
        },
      },
      errors: ['READ_MODEL_REBUILDING', 'CURSOR_INVALID'],
    },
    'GET /api/v2/balances': {
      operationId: 'readBalances',
      tag: 'Lists',
      summary: 'Read balances',
      description:
        'What the merchant is owed, for each currency in which it ever captured. `gatewayReceivable` is always the sum of the ' +
        'three others.',
      answers: {
        200: {
          description: 'All balances.',
          schema: wholeListOf(ref('Balance')),
          example: {
            items: [
              {
                currency: 'EUR',
                gatewayReceivable: '129.90',
                merchantPayable: '98.10',
                refundsPending: '29.90',
                feesEarned: '1.90',
              },
            ],
            nextCursor: null,
          },
          headers: ['Cache-Control'],
        },
      },
      errors: ['READ_MODEL_REBUILDING'],
    },
  },
};
