import { CommandHandling } from '@app/event-sourcing';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { RequestFingerprints } from '@app/keys/fingerprints';
import { refused } from '@app/platform/outcome';
import type { PaymentOutcome } from './outcome';
import { CancelPaymentCommand, type RecordedRequest } from './commands';
import { acceptOnce, loadMerchantPayment, recordedRequest } from './merchant-payment';
import { cancellationProblems } from './validate-payment';

/**
 * Records the merchant's request to cancel the payment. How the payment ends is known only once the gateway has
 * reported the outcome of an authorization in flight.
 */
@CommandHandler(CancelPaymentCommand)
export class CancelPaymentHandler implements ICommandHandler<CancelPaymentCommand> {
  constructor(
    private readonly handling: CommandHandling,
    private readonly fingerprints: RequestFingerprints,
  ) {}

  /**
   * @throws EventStoreUnavailableError, ContentionError: the outcome is unknown; a repeat with the same key returns it.
   */
  async execute(command: CancelPaymentCommand): Promise<PaymentOutcome<RecordedRequest>> {
    const { caller, idempotencyKey, paymentId, request } = command;
    const found = await loadMerchantPayment(this.handling, caller, paymentId);
    if (found === null) return refused('PAYMENT_NOT_FOUND');
    const { maskedCardNumber } = found.payment.created;
    const identity = this.fingerprints.identify(idempotencyKey, request);
    const keyed = { type: 'CancelPayment', identity } as const;
    return acceptOnce(found, {
      request: keyed,
      idempotencyKey,
      judge: () => {
        const problems = cancellationProblems(request, maskedCardNumber);
        return problems.length > 0
          ? refused('VALIDATION_FAILED', problems)
          : { ...keyed, reason: request.reason ?? null };
      },
      answerOf: (payment) => recordedRequest(payment, keyed),
    });
  }
}
