import { PAYMENT_ID, REFUND_EXAMPLE } from '@app/payments/http/examples';
import { failureOf, failureOfDecline, type PublicEventType } from '@app/payments/domain';
import { describeMembers } from './describe';
import { id, type JsonObject, MERCHANT_ID, object, oneOf, ref, TEXT, TIME } from '@app/platform/http/openapi/schema';

/** What one type of event is about: when it is sent, and the member of its data that tells the time or the outcome. */
interface EventDoc {
  readonly when: string;
  readonly data: JsonObject;
  readonly example: JsonObject;
}

const ABOUT_PAYMENT = { paymentId: id('pay'), merchantId: MERCHANT_ID, orderId: TEXT };
const AT = '2030-01-01T00:00:02.017Z';

function paymentEvent(status: string, timeName: string, when: string, failure?: JsonObject): EventDoc {
  return {
    when,
    data: object({
      ...ABOUT_PAYMENT,
      status: oneOf(status),
      amount: ref('Amount'),
      [timeName]: TIME,
      ...(failure === undefined ? {} : { error: ref('Failure') }),
    }),
    example: {
      paymentId: PAYMENT_ID,
      merchantId: 'mer_demo',
      orderId: 'order-1042',
      status,
      amount: { value: '129.90', currency: 'EUR' },
      [timeName]: AT,
      ...(failure === undefined ? {} : { error: failure }),
    },
  };
}

function refundEvent(status: string, when: string, failure?: JsonObject): EventDoc {
  const { paymentId: _paymentId, ...aboutOrder } = ABOUT_PAYMENT;
  return {
    when,
    data: object(
      {
        refundId: id('ref', 42),
        paymentId: id('pay'),
        status: oneOf(status),
        amount: ref('Amount'),
        reason: TEXT,
        referenceId: TEXT,
        estimatedCompletion: TIME,
        ...(failure === undefined ? {} : { error: ref('Failure') }),
        ...aboutOrder,
      },
      ['reason', 'referenceId'],
    ),
    example: {
      ...REFUND_EXAMPLE,
      status,
      ...(failure === undefined ? {} : { error: failure }),
      merchantId: 'mer_demo',
      orderId: 'order-1042',
    },
  };
}

const DECLINED = { ...failureOf('CARD_DECLINED') };
const REFUND_REFUSED = { ...failureOfDecline('REFUND', 'CARD_DECLINED') };

export const EVENTS: Readonly<Record<PublicEventType, EventDoc>> = {
  'payment.authorized': paymentEvent(
    'AUTHORIZED',
    'authorizedAt',
    'The amount is reserved, and waits for a capture. Sent with `captureMethod: MANUAL` only.',
  ),
  'payment.completed': paymentEvent(
    'COMPLETED',
    'completedAt',
    'The money was taken; `amount` is what was captured. Ship the goods.',
  ),
  'payment.failed': paymentEvent('FAILED', 'failedAt', 'The payment came to nothing; `error` says why.', DECLINED),
  'payment.cancelled': paymentEvent('CANCELLED', 'cancelledAt', 'The payment was cancelled, and nothing was taken.'),
  'payment.expired': paymentEvent(
    'EXPIRED',
    'expiredAt',
    'The customer did not act in time, or the reserved amount was not captured within 7 days.',
  ),
  'refund.completed': refundEvent('COMPLETED', 'The money was given back.'),
  'refund.failed': refundEvent('FAILED', 'The refund failed; its amount may be refunded anew.', REFUND_REFUSED),
};

/** `payment.completed` as `PaymentCompletedEvent`. */
export function eventSchemaName(eventType: string): string {
  const words = eventType.split('.').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Event`;
}

/** A component for each type, and `Event` for any of them. */
export function eventSchemas(): Readonly<Record<string, JsonObject>> {
  const each = Object.entries(EVENTS).map(([eventType, { data }]) => {
    const schema = object({ eventId: id('evt'), eventType: oneOf(eventType), timestamp: TIME, data });
    const name = eventSchemaName(eventType);
    return [name, describeMembers(name, schema)] as const;
  });
  const mapping = Object.fromEntries(
    Object.keys(EVENTS).map((type) => [type, `#/components/schemas/${eventSchemaName(type)}`]),
  );
  const any: JsonObject = {
    oneOf: each.map(([name]) => ref(name)),
    discriminator: { propertyName: 'eventType', mapping },
  };
  return { ...Object.fromEntries(each), Event: any };
}

/** A complete body of the type. */
export function eventExample(eventType: PublicEventType): JsonObject {
  const { example } = EVENTS[eventType];
  return { eventId: 'evt_01JGFJK2Q0R8V5T3N7R2M4K6H9', eventType, timestamp: AT, data: example };
}

const header = (name: string, description: string, example: string): JsonObject => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: TEXT,
  example,
});

function headersOf(eventType: string): readonly JsonObject[] {
  return [
    header(
      'X-Webhook-ID',
      'The delivery, the same on every attempt and redelivery: ignore one that you know.',
      'whd_01JGFJK2Q0R8V5T3N7R2M4K6H9',
    ),
    header('X-Event-Type', 'The `eventType` of the body.', eventType),
    header(
      'X-Event-Sequence',
      "The event's place in its payment's history: of two events the later one has the higher number.",
      '5',
    ),
    header('X-Webhook-Attempt', '1 for the first attempt.', '1'),
    header(
      'X-Signature',
      '`sha256=` and the HMAC-SHA256 of the raw body in hex, keyed with the webhook secret as printed.',
      `sha256=${'0'.repeat(64)}`,
    ),
    header('webhook-id', 'Standard Webhooks: the same as `X-Webhook-ID`.', 'whd_01JGFJK2Q0R8V5T3N7R2M4K6H9'),
    header('webhook-timestamp', 'Standard Webhooks: when this attempt was made, in seconds since 1970.', '1893456002'),
    header(
      'webhook-signature',
      'Standard Webhooks: one or more signatures `v1,<base64>`, separated by a space.',
      'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    ),
    header('User-Agent', 'Whoever calls.', 'Counterfoil-Webhooks/1'),
  ];
}

/** The `webhooks` of the document. */
export function webhooks(): JsonObject {
  const operations = Object.entries(EVENTS).map(([eventType, { when }]) => {
    const operation: JsonObject = {
      operationId: `on${eventSchemaName(eventType).replace(/Event$/, '')}`,
      tags: ['Webhooks'],
      summary: eventType,
      description: when,
      security: [],
      parameters: headersOf(eventType),
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: ref(eventSchemaName(eventType)),
            example: eventExample(eventType as PublicEventType),
          },
        },
      },
      responses: {
        '2XX': { description: 'Received. Answer within 15 seconds, before you act on it.' },
        '410': { description: 'This address is gone for good: no further attempt is made.' },
        default: { description: 'Anything else is a failure, also a redirect: the webhook is repeated for four days.' },
      },
    };
    return [eventType, { post: operation }] as const;
  });
  return Object.fromEntries(operations);
}
