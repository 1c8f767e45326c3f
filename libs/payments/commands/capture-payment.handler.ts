import { CommandHandling } from '@app/event-sourcing';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { RequestFingerprints } from '@app/keys/fingerprints';
import { refused } from '@app/platform/outcome';
import type { PaymentOutcome } from './outcome';
import { CapturePaymentCommand, type RecordedRequest } from './commands';
import { acceptOnce, loadMerchantPayment, recordedRequest } from './merchant-payment';
import { validateCapture } from './validate-payment';

/**
 * Requests the capture of an authorized payment. The payment's own stream holds the request with its key, so that a
 * repetition finds it there, and of a capture and a cancellation at the same time only one is accepted.
 */
@CommandHandler(CapturePaymentCommand)
export class CapturePaymentHandler implements ICommandHandler<CapturePaymentCommand> {
  constructor(
    private readonly handling: CommandHandling,
    private readonly fingerprints: RequestFingerprints,
  ) {}

  /** @throws EventStoreUnavailableError, ContentionError: the outcome is unknown, and the same key tells. */
  async execute(command: CapturePaymentCommand): Promise<PaymentOutcome<RecordedRequest>> {
    const { caller, idempotencyKey, paymentId, request } = command;
    const found = await loadMerchantPayment(this.handling, caller, paymentId);
    if (found === null) return refused('PAYMENT_NOT_FOUND');
    const identity = this.fingerprints.identify(idempotencyKey, request);
    const keyed = { type: 'CapturePayment', identity } as const;
    return acceptOnce(found, {
      request: keyed,
      idempotencyKey,
      judge: () => {
        const validated = validateCapture(request);
        return 'problems' in validated
          ? refused('VALIDATION_FAILED', validated.problems)
          : { ...keyed, amount: validated.amount };
      },
      answerOf: (payment) => recordedRequest(payment, keyed),
    });
  }
}
