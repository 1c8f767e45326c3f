import { containsMaskedCardNumber } from '@app/domain/card';
import { CommandHandling } from '@app/kernel';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { RequestFingerprints } from '../keys/fingerprints';
import { type Outcome, refused } from '../outcome';
import { CapturePaymentCommand, type RecordedRequest } from './commands';
import { loadMerchantPayment, recordedBy, replayOf } from './merchant-payment';
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
    const { payment, handle } = found;
    const identity = this.fingerprints.identify(idempotencyKey, request);
    const replay = replayOf(paymentId, identity, payment.capture);
    if (replay !== null) return replay;

    if (containsMaskedCardNumber(idempotencyKey, payment.created.maskedCardNumber)) {
      return refused('IDEMPOTENCY_KEY_INVALID');
    }
    const validated = validateCapture(request);
    if ('problems' in validated) return refused('VALIDATION_FAILED', validated.problems);
    const handled = await handle({ kind: 'RequestCapture', amount: validated.amount, identity });
    return recordedBy(paymentId, handled, ({ capture }) => capture);
  }
}
