import { CommandHandling } from '@app/event-sourcing';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { RequestFingerprints } from '@app/keys/fingerprints';
import { refused } from '@app/platform/outcome';
import type { PaymentOutcome } from './outcome';
import { CapturePaymentCommand, type RecordedRequest } from './commands';
import { acceptOnce, loadMerchantPayment, recordedRequest } from './merchant-payment';
import { validateCapture } from './validate-payment';

/**
 * Requests the capture of an authorized payment. The request and its key are stored in the payment's own stream, so a
 * repeat finds them there, and only one of a concurrent capture and cancellation is accepted.
 */
@CommandHandler(CapturePaymentCommand)
export class CapturePaymentHandler implements ICommandHandler<CapturePaymentCommand> {
  constructor(
    private readonly handling: CommandHandling,
    private readonly fingerprints: RequestFingerprints,
  ) {}

  /**
   * @throws EventStoreUnavailableError, ContentionError: the outcome is unknown; a repeat with the same key returns it.
   */
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
