import type { Collection, StoredEvent } from '@app/event-sourcing';
import { unreachable } from '@app/event-sourcing';
import { type Currency, formatAmount, toAmount } from '@app/money';
import {
  type Failure,
  isPaymentStream,
  type PaymentEvent,
  paymentIdOfStream,
  type PaymentStatus,
  toDisputeResource,
  type TransactionStatus,
} from '@app/payments/domain';
import type { DisputeBody, PaymentBody, TransactionBody } from './documents';

/** The payment as shown to merchants, with what is needed to find and to update it. */
export interface PaymentView extends Readonly<Record<string, unknown>> {
  readonly merchantId: string;
  readonly orderId: string;
  readonly payerId: string;
  readonly currency: string;
  readonly refundedMinor: string;
  /** Of the last event of the stream. */
  readonly revision: number;
  readonly body: PaymentBody;
}

type Created = Extract<PaymentEvent, { type: 'PaymentCreated' }>;
type Deferred = Extract<PaymentEvent, { type: 'GatewayStepDeferred' }>;

export const paymentView: Collection<PaymentView, PaymentEvent> = {
  name: 'payment',
  key: (event) => event.data.paymentId,
  evolve,
  revisionOf: ({ revision }) => revision,
  ofStream: (streamId) => (isPaymentStream(streamId) ? paymentIdOfStream(streamId) : null),
  damaged: (view) => withBody(withoutNextAction(view), { status: 'DAMAGED' }),
  listEntries: (view) => {
    const order = `${view.body.timeline.createdAt}|${view.body.paymentId}`;
    const lists = FACETS.map((facet) => listName(view.merchantId, facet, valueOf(view, facet)));
    return [view.merchantId, ...lists].map((list) => ({ list, order }));
  },
};

/** The fields that payments are listed by, the most selective first; each value has its own list. */
const FACETS = ['orderId', 'payerId', 'status', 'currency'] as const;
type Facet = (typeof FACETS)[number];

/** The shortest list that contains all matches, and the remaining filters to apply to each payment in it. */
export function paymentListOf(
  merchantId: string,
  filters: Readonly<Partial<Record<Facet, string>>>,
): { readonly list: string; readonly rest: readonly ((view: PaymentView) => boolean)[] } {
  const [first, ...others] = FACETS.flatMap((facet) => {
    const value = filters[facet];
    return value === undefined ? [] : [{ facet, value }];
  });
  if (first === undefined) return { list: merchantId, rest: [] };
  return {
    list: listName(merchantId, first.facet, first.value),
    rest: others.map(
      ({ facet, value }) =>
        (view) =>
          valueOf(view, facet) === value,
    ),
  };
}

function listName(merchantId: string, facet: Facet, value: string): string {
  return `${merchantId}|${facet}|${value}`;
}

function valueOf(view: PaymentView, facet: Facet): string {
  return facet === 'status' ? view.body.status : view[facet];
}

function evolve(view: PaymentView | null, event: StoredEvent<PaymentEvent>): PaymentView | null {
  if (event.type === 'PaymentCreated') return view ?? begin(event);
  if (view === null || isDamaged(view)) return view;
  const { revision } = event;
  // A poll of the customer's progress changes nothing; any other event means that they have acted or can't any more.
  if (event.type === 'GatewayStepDeferred') return { ...view, revision };
  return { ...moveOn(withoutNextAction(view), event), revision };
}

function moveOn(view: PaymentView, event: StoredEvent<Exclude<PaymentEvent, Created | Deferred>>): PaymentView {
  const at = event.metadata.recordedAt;
  switch (event.type) {
    case 'PaymentAuthorized': {
      const { transactionId, processorResponse } = event.data;
      const transactions = settled(view, transactionId, 'SUCCESS', processorResponse);
      return moved(view, 'AUTHORIZED', { authorizedAt: at }, { transactions });
    }
    case 'PaymentCaptureRequested':
      return added(view, 'CAPTURE', 'PENDING', event.data);
    case 'PaymentCaptured': {
      const transactions = settled(view, event.data.transactionId, 'SUCCESS');
      const capturedAmount = toAmount(moneyOf(event.data.amountMinor, view));
      return moved(view, 'COMPLETED', { capturedAt: at, completedAt: at }, { transactions, capturedAmount });
    }
    case 'PaymentCaptureRefused':
      return withBody(view, { transactions: settled(view, event.data.transactionId, 'FAILED') });
    case 'PaymentVoided':
      return added(view, 'VOID', 'SUCCESS', event.data);
    case 'PaymentFailed': {
      const transactions = ended(view, event.data.processorResponse);
      return moved(view, 'FAILED', { failedAt: at }, { transactions, error: event.data.failure });
    }
    case 'PaymentCancelled':
      return moved(view, 'CANCELLED', { cancelledAt: at }, { transactions: ended(view) });
    case 'PaymentExpired':
      return moved(view, 'EXPIRED', { expiredAt: at }, { transactions: ended(view) });
    case 'RefundRequested':
      return added(view, 'REFUND', 'PENDING', event.data);
    case 'RefundCompleted': {
      const transactions = settled(view, event.data.transactionId, 'SUCCESS');
      const refundedMinor = String(BigInt(view.refundedMinor) + BigInt(event.data.amountMinor));
      const refundedAmount = toAmount(moneyOf(refundedMinor, view));
      return { ...withBody(view, { transactions, refundedAmount }), refundedMinor };
    }
    case 'RefundFailed':
      return withBody(view, { transactions: settled(view, event.data.transactionId, 'FAILED') });
    case 'DisputeOpened':
    case 'DisputeWon':
    case 'DisputeLost':
      return withBody(view, { disputes: withDispute(view.body.disputes, toDisputeResource(event)) });
    case 'PaymentAuthenticated':
    case 'PaymentCancellationRequested':
    case 'PaymentExpiryRequested':
      return view;
    default:
      return unreachable(event);
  }
}

/** Omits the customer's next action once their time is over, even before the expiry is recorded. */
export function shownAt(body: PaymentBody, now: string): PaymentBody {
  const { nextAction, ...rest } = body;
  return nextAction === undefined || now < nextAction.expiresAt ? body : rest;
}

/**
 * Whether a projector has found a foreign event in the payment's stream; the rest of the view shows the state before
 * it.
 */
export function isDamaged({ body }: PaymentView): boolean {
  return body.status === 'DAMAGED';
}

function begin({ data, metadata, revision }: StoredEvent<Created>): PaymentView {
  const { paymentId, merchantId, orderId, payerId, amountMinor, currency, transactionIds } = data;
  const { maskedCardNumber, captureMethod, riskLevel, nextAction, expiresAt } = data;
  const amount = toAmount({ amountMinor: BigInt(amountMinor), currency: currency as Currency });
  const none = toAmount({ amountMinor: 0n, currency: currency as Currency });
  return {
    merchantId,
    orderId,
    payerId,
    currency,
    refundedMinor: '0',
    revision,
    body: {
      paymentId,
      status: 'PROCESSING',
      amount,
      timeline: { createdAt: metadata.recordedAt },
      transactions: [
        { transactionId: transactionIds.authorization, type: 'AUTHORIZATION', amount: amount.value, status: 'PENDING' },
      ],
      orderId,
      payer: { payerId, maskedCardNumber },
      captureMethod,
      riskLevel,
      // The customer's redirect URLs are kept in the log only.
      ...(nextAction === null ? {} : { nextAction: { type: nextAction.type, expiresAt } }),
      capturedAmount: none,
      refundedAmount: none,
      disputes: [],
      merchantMetadata: Object.fromEntries(data.merchantMetadata),
    },
  };
}

function moneyOf(amountMinor: string, view: PaymentView) {
  return { amountMinor: BigInt(amountMinor), currency: view.currency as Currency };
}

function withoutNextAction(view: PaymentView): PaymentView {
  if (view.body.nextAction === undefined) return view;
  const { nextAction: _over, ...body } = view.body;
  return { ...view, body };
}

function withBody(view: PaymentView, change: Partial<PaymentBody>): PaymentView {
  return { ...view, body: { ...view.body, ...change } };
}

function moved(
  view: PaymentView,
  status: PaymentStatus,
  times: Readonly<Record<string, string>>,
  change: Partial<PaymentBody> & { readonly error?: Failure },
): PaymentView {
  return withBody(view, { ...change, status, timeline: { ...view.body.timeline, ...times } });
}

function added(
  view: PaymentView,
  type: TransactionBody['type'],
  status: TransactionStatus,
  data: { readonly transactionId: string; readonly amountMinor: string },
): PaymentView {
  const amount = formatAmount(BigInt(data.amountMinor), view.currency as Currency);
  const transaction = { transactionId: data.transactionId, type, amount, status };
  return withBody(view, { transactions: [...view.body.transactions, transaction] });
}

/** A known dispute keeps its place. */
function withDispute(disputes: readonly DisputeBody[], dispute: DisputeBody): readonly DisputeBody[] {
  const isKnown = disputes.some(({ disputeId }) => disputeId === dispute.disputeId);
  if (!isKnown) return [...disputes, dispute];
  return disputes.map((known) => (known.disputeId === dispute.disputeId ? dispute : known));
}

function settled(
  view: PaymentView,
  transactionId: string,
  status: TransactionStatus,
  processorResponse?: TransactionBody['processorResponse'],
): readonly TransactionBody[] {
  return view.body.transactions.map((transaction) =>
    transaction.transactionId === transactionId
      ? { ...transaction, status, ...(processorResponse === undefined ? {} : { processorResponse }) }
      : transaction,
  );
}

/** What was still undecided when the payment ended counts as failed. */
function ended(
  view: PaymentView,
  processorResponse: TransactionBody['processorResponse'] | null = null,
): readonly TransactionBody[] {
  return view.body.transactions.map((transaction) =>
    transaction.status === 'PENDING'
      ? { ...transaction, status: 'FAILED', ...(processorResponse === null ? {} : { processorResponse }) }
      : transaction,
  );
}
