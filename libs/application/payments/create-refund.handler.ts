import { containsMaskedCardNumber } from '@app/domain/card';
import { Clock, CommandHandling, isoTime, type Loaded } from '@app/kernel';
import { isSameRequest, type Payment, refundOf, type RefundRequested, type RequestIdentity } from '@app/domain/payment';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { RequestFingerprints } from '../keys/fingerprints';
import { done, type Outcome, refused } from '../outcome';
import { CreateRefundCommand } from './commands';
import { refundIdOf, transactionIdOf } from './ids';
import { loadMerchantPayment } from './merchant-payment';
import { NotifyUrlPolicy } from './notify-url-policy';
import { validateRefund } from './validate-payment';

/** What merchants are told to expect; most refunds are through within seconds. */
const ESTIMATED_REFUND_MS = 24 * 60 * 60_000;

/** Accepts a refund: the payment's own stream holds it, so that concurrent ones can't exceed what was captured. */
@CommandHandler(CreateRefundCommand)
export class CreateRefundHandler implements ICommandHandler<CreateRefundCommand> {
  constructor(
    private readonly handling: CommandHandling,
    private readonly fingerprints: RequestFingerprints,
    private readonly urls: NotifyUrlPolicy,
    private readonly clock: Clock,
  ) {}

  /** @throws EventStoreUnavailableError, ContentionError: the outcome is unknown, and the same key tells. */
  async execute(command: CreateRefundCommand): Promise<Outcome<RefundRequested['data']>> {
    const { caller, idempotencyKey, paymentId, request } = command;
    const found = await loadMerchantPayment(this.handling, caller, paymentId);
    if (found === null) return refused('PAYMENT_NOT_FOUND');
    const { payment, handle } = found;
    const identity = this.fingerprints.identify(idempotencyKey, request);
    const refundId = refundIdOf(paymentId, caller.merchantId, idempotencyKey);
    const earlier = refundOf(payment, refundId);
    if (earlier !== undefined) return replay(identity, earlier.request);

    const { maskedCardNumber } = payment.created;
    if (containsMaskedCardNumber(idempotencyKey, maskedCardNumber)) return refused('IDEMPOTENCY_KEY_INVALID');
    const validated = validateRefund(request, maskedCardNumber, this.urls);
    if ('problems' in validated) return refused('VALIDATION_FAILED', validated.problems);
    const handled = await handle({
      kind: 'RequestRefund',
      refundId,
      transactionId: transactionIdOf(refundId, 'refund'),
      ...validated.amount,
      reason: request.reason ?? null,
      referenceId: request.referenceId ?? null,
      notifyUrl: request.notifyUrl ?? null,
      estimatedCompletion: isoTime(this.clock.nowMs() + ESTIMATED_REFUND_MS),
      identity,
    });
    if (handled.kind === 'rejected') return refused(handled.rejection);
    return accepted(handled.loaded, refundId, handled.events.length === 0);
  }
}

function replay(identity: RequestIdentity, request: RefundRequested['data']): Outcome<RefundRequested['data']> {
  return isSameRequest(identity, request.idempotency) ? done(request, true) : refused('IDEMPOTENCY_KEY_REUSED');
}

function accepted(
  { state }: Loaded<Payment | null>,
  refundId: string,
  replayed: boolean,
): Outcome<RefundRequested['data']> {
  const refund = state === null ? undefined : refundOf(state, refundId);
  return refund === undefined ? refused('REFUND_NOT_FOUND') : done(refund.request, replayed);
}
