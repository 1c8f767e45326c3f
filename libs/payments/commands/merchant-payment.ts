import { assert, type CommandHandling, DamagedHistoryError, type Handled } from '@app/event-sourcing';
import { containsMaskedCardNumber } from '@app/cards';
import {
  acceptedRequest,
  type CancelPayment,
  type CapturePayment,
  isDamagedPaymentOf,
  isPaymentId,
  type KeyedRequest,
  type Payment,
  type PaymentCommand,
  paymentDecider,
  type PaymentEvent,
  paymentNoveltyOf,
  type PaymentRejection,
  paymentStreamId,
} from '@app/payments/domain';
import { done, type Refused, refused } from '@app/platform/outcome';
import type { PaymentOutcome, RefusalCode } from './outcome';
import type { Caller } from '@app/platform/asker';
import type { RecordedRequest } from './commands';
import { refusalText } from './refusal-texts';

type HandledPayment = Handled<Payment | null, PaymentEvent, PaymentRejection>;

/** A payment that a merchant's command applies to. */
export interface MerchantPayment<State extends Payment | null = Payment> {
  readonly payment: State;
  /** Decides on the loaded state, with the merchant as actor. @throws EventStoreUnavailableError, ContentionError */
  readonly handle: (command: PaymentCommand) => Promise<HandledPayment>;
}

/**
 * Loads the payment. Null if there is none or if it belongs to another merchant; callers can't distinguish the two.
 *
 * @throws EventStoreUnavailableError, DamagedHistoryError
 */
export async function loadMerchantPayment(
  handling: CommandHandling,
  caller: Caller,
  paymentId: string,
): Promise<MerchantPayment | null> {
  if (!isPaymentId(paymentId)) return null;
  const streamId = paymentStreamId(paymentId);
  const loaded = await loadOwn(handling, caller, streamId);
  const payment = loaded?.state ?? null;
  if (loaded === null || payment?.created.merchantId !== caller.merchantId) return null;
  const context = merchantContext(caller);
  return { payment, handle: (command) => handling.handle(paymentDecider, streamId, command, context, loaded) };
}

/** Null if the payment is damaged and belongs to another merchant: that must not be disclosed either. */
async function loadOwn(handling: CommandHandling, { merchantId }: Caller, streamId: string) {
  try {
    return await handling.loadExisting(paymentDecider, streamId);
  } catch (error) {
    if (error instanceof DamagedHistoryError && !isDamagedPaymentOf(merchantId, error)) return null;
    throw error;
  }
}

/** The metadata recorded for a merchant's commands. */
export function merchantContext({ correlationId, merchantId }: Caller) {
  return { correlationId, causationId: null, actor: `merchant:${merchantId}` };
}

/** A request with an Idempotency-Key. */
export interface RequestToAccept<T> {
  readonly request: KeyedRequest;
  readonly idempotencyKey: string;
  /** Validates a new request. Returns the command that records it, or the refusal. */
  readonly judge: () => PaymentCommand | Refused<RefusalCode> | Promise<PaymentCommand | Refused<RefusalCode>>;
  /** Builds the response from the payment that has accepted the request. */
  readonly answerOf: (payment: Payment) => T;
}

/**
 * Accepts a request once. A repeat gets the first response, before any validation.
 *
 * @throws EventStoreUnavailableError, ContentionError: the outcome is unknown; a repeat with the same key returns it.
 */
export async function acceptOnce<T>(
  { payment, handle }: MerchantPayment<Payment | null>,
  { request, idempotencyKey, judge, answerOf }: RequestToAccept<T>,
): Promise<PaymentOutcome<T>> {
  const novelty = paymentNoveltyOf(request, payment);
  if (novelty === 'KEY_REUSED') return refused('IDEMPOTENCY_KEY_REUSED');
  if (novelty === 'REPEATED' && payment !== null) return done(answerOf(payment), true);
  // Only a new request is refused if its key contains the payment's card number; a repeat gets its first response.
  if (payment !== null && containsMaskedCardNumber(idempotencyKey, payment.created.maskedCardNumber)) {
    return refused('IDEMPOTENCY_KEY_INVALID');
  }
  const judged = await judge();
  if ('kind' in judged) return judged;
  const handled = await handle(judged);
  if (handled.kind === 'rejected') {
    const message = refusalText(handled.rejection, handled.loaded.state);
    return { ...refused(handled.rejection), ...(message === undefined ? {} : { message }) };
  }
  const { state } = handled.loaded;
  assert(state, 'a payment that has accepted a request exists');
  // No events: another process accepted the same request in the meantime.
  return done(answerOf(state), handled.events.length === 0);
}

/** The event that holds the capture or cancellation that the payment has accepted. */
export function recordedRequest(
  payment: Payment,
  { type, identity }: Pick<CapturePayment | CancelPayment, 'type' | 'identity'>,
): RecordedRequest {
  const accepted = acceptedRequest(payment, type, identity);
  assert(accepted, 'the payment holds a request that it has accepted');
  return { paymentId: payment.created.paymentId, revision: accepted.revision };
}
