import { type CommandHandling, DamagedHistoryError, type Handled } from '@app/kernel';
import {
  isDamagedPaymentOf,
  isPaymentId,
  isSameKey,
  isSameRequest,
  type Payment,
  type PaymentCommand,
  paymentDecider,
  type PaymentEvent,
  type PaymentRejection,
  paymentStreamId,
  type RequestIdentity,
} from '@app/domain/payment';
import { type Caller, done, type Outcome, refused } from '../outcome';
import type { RecordedRequest } from './commands';

type HandledPayment = Handled<Payment | null, PaymentEvent, PaymentRejection>;

/** A payment that a merchant asks something of. */
export interface MerchantPayment {
  readonly payment: Payment;
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

/** The answer to a request that the payment already holds under this key; null where it holds none. */
export function replayOf(
  paymentId: string,
  identity: RequestIdentity,
  earlier: RequestOfPayment | null,
): Outcome<RecordedRequest> | null {
  if (!earlier?.idempotency || !isSameKey(identity, earlier.idempotency)) return null;
  return isSameRequest(identity, earlier.idempotency)
    ? done({ paymentId, revision: earlier.revision }, true)
    : refused('IDEMPOTENCY_KEY_REUSED');
}

/** What a payment holds of a request for its capture or its end; a capture that follows by itself came with no key. */
type RequestOfPayment = Pick<NonNullable<Payment['capture']>, 'revision' | 'idempotency'>;

/** The answer once the payment was decided on: `requestIn` finds the request in the payment as it is then. */
export function recordedBy(
  paymentId: string,
  handled: HandledPayment,
  requestIn: (payment: Payment) => RequestOfPayment | null,
): Outcome<RecordedRequest> {
  if (handled.kind === 'rejected') return refused(handled.rejection);
  const { state } = handled.loaded;
  const request = state === null ? null : requestIn(state);
  if (request === null) return refused('PAYMENT_NOT_FOUND');
  return done({ paymentId, revision: request.revision }, handled.events.length === 0);
}
