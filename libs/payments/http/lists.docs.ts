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
        'The newest first; all filters that are given have to fit. A payment that existed at the first page appears exactly ' +
        'once, however many are created meanwhile. A page also ends before its payments take more than 1 MiB. Of `nextAction` a list ' +
        'shows what and until when; the addresses stand on the read of the payment.',
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
        'What webhooks told, or will tell, of all payments and refunds, in order, whether they have a `notifyUrl` or not. It pages ' +
        'by `cursor`, as every list does. To recover missed webhooks, ask for the first page with `after`, the `eventId` of the ' +
        'last event that you know, and for each further page with `cursor`. At the end `nextCursor` is null: ask later with ' +
        '`after`, the last event of that page.',
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
