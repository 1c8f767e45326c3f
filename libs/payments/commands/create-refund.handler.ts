import { assert, Clock, CommandHandling, isoTime } from '@app/event-sourcing';
import { refundOf, type RequestedRefund } from '@app/payments/domain';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { RequestFingerprints } from '@app/keys/fingerprints';
import { refused } from '@app/platform/outcome';
import type { PaymentOutcome } from './outcome';
import { CreateRefundCommand } from './commands';
import { refundIdOf, transactionIdOf } from './ids';
import { acceptOnce, loadMerchantPayment } from './merchant-payment';
import { NotifyUrlPolicy } from './notify-url-policy';
import { validateRefund } from './validate-payment';

/** The estimate that merchants are given; most refunds complete within seconds. */
const ESTIMATED_REFUND_MS = 24 * 60 * 60_000;

/**
 * Accepts a refund. It is stored in the payment's own stream, so concurrent refunds can't exceed the captured amount.
 */
@CommandHandler(CreateRefundCommand)
export class CreateRefundHandler implements ICommandHandler<CreateRefundCommand> {
  constructor(
    private readonly handling: CommandHandling,
    private readonly fingerprints: RequestFingerprints,
    private readonly urls: NotifyUrlPolicy,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws EventStoreUnavailableError, ContentionError: the outcome is unknown; a repeat with the same key returns it.
   */
  async execute(command: CreateRefundCommand): Promise<PaymentOutcome<RequestedRefund>> {
    const { caller, idempotencyKey, paymentId, request } = command;
    const found = await loadMerchantPayment(this.handling, caller, paymentId);
    if (found === null) return refused('PAYMENT_NOT_FOUND');
    const { maskedCardNumber } = found.payment.created;
    const identity = this.fingerprints.identify(idempotencyKey, request);
    const refundId = refundIdOf(paymentId, caller.merchantId, idempotencyKey);
    const keyed = { type: 'CreateRefund', identity, refundId } as const;
    return acceptOnce(found, {
      request: keyed,
      idempotencyKey,
      judge: () => {
        const validated = validateRefund(request, maskedCardNumber, this.urls);
        if ('problems' in validated) return refused('VALIDATION_FAILED', validated.problems);
        return {
          ...keyed,
          ...validated.amount,
          transactionId: transactionIdOf(refundId, 'refund'),
          reason: request.reason ?? null,
          referenceId: request.referenceId ?? null,
          notifyUrl: request.notifyUrl ?? null,
          estimatedCompletion: isoTime(this.clock.nowMs() + ESTIMATED_REFUND_MS),
        };
      },
      answerOf: (payment) => {
        const refund = refundOf(payment, refundId);
        assert(refund, 'the payment holds a refund that it has accepted');
        const { request: asked, requestedAt } = refund;
        return { request: asked, requestedAt };
      },
    });
  }
}
