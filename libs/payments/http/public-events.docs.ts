import { failureOf, failureOfDecline, type PublicEventType } from '@app/payments/domain';
import { id, type JsonObject, MERCHANT_ID, object, oneOf, ref, TEXT, TIME } from '@app/platform/http/openapi/schema';
import { DISPUTE_EXAMPLE, disputeTimeline, PAYMENT_ID, REFUND_EXAMPLE, refundTimeline } from './examples';
import { DISPUTE_REASON } from './disputes.docs';

/** Documents one event type: when it is sent, and the member of its data that holds the time or the outcome. */
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

function refundEvent(
  status: string,
  endedAs: 'completedAt' | 'failedAt',
  when: string,
  failure?: JsonObject,
): EventDoc {
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
        timeline: object({ createdAt: TIME, [endedAs]: TIME }),
        ...(failure === undefined ? {} : { error: ref('Failure') }),
        ...aboutOrder,
      },
      ['reason', 'referenceId'],
    ),
    example: {
      ...REFUND_EXAMPLE,
      status,
      timeline: refundTimeline(endedAs),
      ...(failure === undefined ? {} : { error: failure }),
      merchantId: 'mer_demo',
      orderId: 'order-1042',
    },
  };
}

function disputeEvent(status: 'OPEN' | 'WON' | 'LOST', decidedAs: 'wonAt' | 'lostAt' | null, when: string): EventDoc {
  const { paymentId: _paymentId, ...aboutOrder } = ABOUT_PAYMENT;
  return {
    when,
    data: object(
      {
        disputeId: id('dsp', 42),
        paymentId: id('pay'),
        status: oneOf(status),
        amount: ref('Amount'),
        fee: ref('Amount'),
        reason: DISPUTE_REASON,
        evidenceDueAt: TIME,
        timeline: object({ createdAt: TIME, ...(decidedAs === null ? {} : { [decidedAs]: TIME }) }),
        ...aboutOrder,
      },
      ['evidenceDueAt'],
    ),
    example: {
      ...DISPUTE_EXAMPLE,
      status,
      timeline: disputeTimeline(decidedAs),
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
    'The amount is reserved and can be captured. Sent with `captureMethod: MANUAL` only.',
  ),
  'payment.completed': paymentEvent(
    'COMPLETED',
    'completedAt',
    'The payment was captured; `amount` is the captured amount. Ship the goods.',
  ),
  'payment.failed': paymentEvent('FAILED', 'failedAt', 'The payment failed; `error` says why.', DECLINED),
  'payment.cancelled': paymentEvent('CANCELLED', 'cancelledAt', 'The payment was cancelled, and nothing was taken.'),
  'payment.expired': paymentEvent(
    'EXPIRED',
    'expiredAt',
    'The customer did not act in time, or the reserved amount was not captured within 7 days.',
  ),
  'refund.completed': refundEvent('COMPLETED', 'completedAt', 'The money was given back.'),
  'refund.failed': refundEvent(
    'FAILED',
    'failedAt',
    'The refund failed. Its amount can be refunded again.',
    REFUND_REFUSED,
  ),
  'dispute.opened': disputeEvent(
    'OPEN',
    null,
    'The cardholder disputes the payment. `amount` and `fee` were withdrawn; collect your evidence until `evidenceDueAt`.',
  ),
  'dispute.won': disputeEvent('WON', 'wonAt', 'You won the dispute. `amount` was returned, `fee` was not.'),
  'dispute.lost': disputeEvent('LOST', 'lostAt', 'You lost the dispute. What was withdrawn is not returned.'),
};

/** `payment.completed` as `PaymentCompletedEvent`. */
export function eventSchemaName(eventType: string): string {
  const words = eventType.split('.').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Event`;
}

/** An example body of the type. */
export function eventExample(eventType: PublicEventType): JsonObject {
  const { example } = EVENTS[eventType];
  return { eventId: 'evt_01JGFJK2Q0R8V5T3N7R2M4K6H9', eventType, timestamp: AT, data: example };
}
