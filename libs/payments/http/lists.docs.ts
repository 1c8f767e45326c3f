import { PAYMENT_EXAMPLE } from './examples';
import type { ResourceDocs } from '@app/platform/http/openapi/operation-docs';
import { pageOf, ref } from '@app/platform/http/openapi/schema';
import { eventExample } from './public-events.docs';

export const listDocs: ResourceDocs = {
  tag: { name: 'Lists', description: "All of a merchant's payments, events and balances." },
  schemas: {},
  operations: {
    'GET /api/v2/payments': {
      operationId: 'listPayments',
      tag: 'Lists',
      summary: 'List payments',
      description:
        'Returns payments, the newest first. Several filters are combined with AND. A payment that existed when you read the first page ' +
        'appears exactly once, however many are created meanwhile. A page ends before it becomes larger than 1 MiB. In a list, `nextAction` ' +
        'has no URLs: read the payment for them.',
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
        'Returns the events of all payments and refunds, in order, whether they have a `notifyUrl` or not. It pages by `cursor`, as ' +
        'every list does. To recover missed webhooks, send `after`, the `eventId` of the last event that you know, for the first page, ' +
        'and `cursor` for each further page. On the last page `nextCursor` is null: later, send the `eventId` of its last event as `after`.',
      answers: {
        200: {
          description: 'A page of events.',
          schema: pageOf(ref('Event')),
          example: { items: [eventExample('payment.completed')], nextCursor: null },
        },
      },
      errors: ['READ_MODEL_REBUILDING', 'CURSOR_INVALID'],
    },
  },
};
