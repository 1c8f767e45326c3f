import {
  type Collection,
  type Due,
  dueAtOnce,
  dueOn,
  type StoredEvent,
  unreachable,
  type Wait,
} from '@app/event-sourcing';
import { asksForOutcome, firstPoll, type PaymentEvent, waitOf } from '@app/payments/domain';

/** A payment, or one of its refunds, that needs a gateway call. */
export interface PaymentToProcess extends Wait, Readonly<Record<string, unknown>> {
  readonly paymentId: string;
  /** Null for the payment itself. */
  readonly refundId: string | null;
  /** Empty if the history doesn't begin with it. */
  readonly merchantId: string;
  /** Whether the gateway is asked for the outcome of an earlier call; inquiries don't wait behind other items. */
  readonly inquiry: boolean;
}

/**
 * The to-do list of the payment workers: what is due, and when. Only the stream says what has to be done; a spec checks
 * the due times here against the domain's `nextStep`.
 */
export const paymentsToProcess: Collection<PaymentToProcess, PaymentEvent> = {
  name: 'paymentsToProcess',
  key: (event) => refundIdOf(event) ?? event.data.paymentId,
  evolve,
  due: (item): Due => ({ waitsFromMs: item.waitsFromMs, dueAtMs: item.dueAtMs, group: processingGroup(item) }),
};

/** The queue that an item belongs to: its merchant's, separate for inquiries and all other steps. */
export function processingGroup({ merchantId, inquiry }: Pick<PaymentToProcess, 'merchantId' | 'inquiry'>): string {
  return `${merchantId}${inquiry ? INQUIRIES : '|steps'}`;
}

const INQUIRIES = '|inquiries';

export function isInquiryGroup(group: string): boolean {
  return group.endsWith(INQUIRIES);
}

function refundIdOf(event: PaymentEvent): string | null {
  return 'refundId' in event.data ? event.data.refundId : null;
}

function evolve(item: PaymentToProcess | null, event: StoredEvent<PaymentEvent>): PaymentToProcess | null {
  const at = event.metadata.recordedAt;
  const atOnce = dueAtOnce(Date.parse(at));
  switch (event.type) {
    case 'PaymentCreated': {
      const { nextAction, expiresAt } = event.data;
      return due(item, event, nextAction === null ? atOnce : firstPoll(at, expiresAt));
    }
    case 'PaymentAuthorized':
      return due(
        item,
        event,
        event.data.captureMethod === 'MANUAL' ? dueOn(Date.parse(event.data.holdExpiresAt)) : atOnce,
      );
    case 'PaymentAuthenticated':
    case 'PaymentCaptureRequested':
    case 'PaymentCaptureRefused':
    case 'PaymentCancellationRequested':
    case 'PaymentExpiryRequested':
    case 'RefundRequested':
      return due(item, event, atOnce);
    case 'GatewayStepDeferred':
      return due(item, event, waitOf(event.data));
    case 'PaymentVoided':
    case 'DisputeOpened':
    case 'DisputeWon':
    case 'DisputeLost':
      return item;
    case 'PaymentCaptured':
    case 'PaymentFailed':
    case 'PaymentCancelled':
    case 'PaymentExpired':
    case 'RefundCompleted':
    case 'RefundFailed':
      return null;
    default:
      return unreachable(event);
  }
}

function due(item: PaymentToProcess | null, event: PaymentEvent, wait: Wait): PaymentToProcess {
  const { data } = event;
  return {
    paymentId: data.paymentId,
    refundId: refundIdOf(event),
    merchantId: 'merchantId' in data ? data.merchantId : (item?.merchantId ?? ''),
    inquiry: event.type === 'GatewayStepDeferred' && asksForOutcome(event.data.reason),
    ...wait,
  };
}
