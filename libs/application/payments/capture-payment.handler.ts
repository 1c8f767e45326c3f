import { containsMaskedCardNumber } from '@app/domain/card';
import { CommandHandling } from '@app/kernel';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { RequestFingerprints } from '../keys/fingerprints';
import { type Outcome, refused } from '../outcome';
import { CapturePaymentCommand, type RecordedRequest } from './commands';
import { acceptOnce, loadMerchantPayment, recordedRequest } from './merchant-payment';
import { validateCapture } from './validate-payment';

/**
 * Asks for the money of an authorized payment. The payment's own stream holds the request with its key: a repetition finds
 * it there, and a cancellation that comes at the same time finds it too, or is found by it.
 */
@CommandHandler(CapturePaymentCommand)
export class CapturePaymentHandler implements ICommandHandler<CapturePaymentCommand> {
  constructor(
    private readonly handling: CommandHandling,
    private readonly fingerprints: RequestFingerprints,
  ) {}

  /** @throws EventStoreUnavailableError, ContentionError: the outcome is unknown, and the same key tells. */
  async execute(command: CapturePaymentCommand): Promise<Outcome<RecordedRequest>> {
    const { caller, idempotencyKey, paymentId, request } = command;
    const found = await loadMerchantPayment(this.handling, caller, paymentId);
    if (found === null) return refused('PAYMENT_NOT_FOUND');
    const { maskedCardNumber } = found.payment.created;
    const identity = this.fingerprints.identify(idempotencyKey, request);
    const keyed = { type: 'CapturePayment', identity } as const;
    return acceptOnce(found, {
      request: keyed,
      judge: () => {
        if (containsMaskedCardNumber(idempotencyKey, maskedCardNumber)) return refused('IDEMPOTENCY_KEY_INVALID');
        const validated = validateCapture(request);
        return 'problems' in validated
          ? refused('VALIDATION_FAILED', validated.problems)
          : { ...keyed, amount: validated.amount };
      },
      answerOf: (payment) => recordedRequest(payment, keyed),
    });
  }
}
