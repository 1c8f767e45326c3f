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

/** A payment that a merchant asks something of. */
export interface MerchantPayment<State extends Payment | null = Payment> {
  readonly payment: State;
  /** Decides on what was loaded, in the merchant's name. @throws EventStoreUnavailableError, ContentionError */
  readonly handle: (command: PaymentCommand) => Promise<HandledPayment>;
}

/**
 * Loads the payment; null where there is none, and where it is another merchant's: the two are not told apart.
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

/** Null where the payment is damaged and another merchant's: that isn't told either. */
async function loadOwn(handling: CommandHandling, { merchantId }: Caller, streamId: string) {
  try {
    return await handling.loadExisting(paymentDecider, streamId);
  } catch (error) {
    if (error instanceof DamagedHistoryError && !isDamagedPaymentOf(merchantId, error)) return null;
    throw error;
  }
}

/** In whose name a merchant's commands are recorded. */
export function merchantContext({ correlationId, merchantId }: Caller) {
  return { correlationId, causationId: null, actor: `merchant:${merchantId}` };
}

/** A request with an Idempotency-Key. */
export interface RequestToAccept<T> {
  readonly request: KeyedRequest;
  readonly idempotencyKey: string;
  /** Judges a request that is new; gives the command that records it, or says why it is refused. */
  readonly judge: () => PaymentCommand | Refused<RefusalCode> | Promise<PaymentCommand | Refused<RefusalCode>>;
  /** The answer, made of the payment that has accepted the request. */
  readonly answerOf: (payment: Payment) => T;
}

/**
 * Accepts a request once. A repetition is answered like the first time, before anything of it is judged.
 *
 * @throws EventStoreUnavailableError, ContentionError: the outcome is unknown, and the same key tells.
 */
export async function acceptOnce<T>(
  { payment, handle }: MerchantPayment<Payment | null>,
  { request, idempotencyKey, judge, answerOf }: RequestToAccept<T>,
): Promise<PaymentOutcome<T>> {
  const novelty = paymentNoveltyOf(request, payment);
  if (novelty === 'KEY_REUSED') return refused('IDEMPOTENCY_KEY_REUSED');
  if (novelty === 'REPEATED' && payment !== null) return done(answerOf(payment), true);
  // An earlier request with the key is answered as before; a new one may not hold the payment's card number in it.
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
  // Another process may have accepted the same request meanwhile.
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
