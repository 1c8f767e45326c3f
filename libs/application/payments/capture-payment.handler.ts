import { CommandHandling } from '@app/kernel';
import { isPaymentId, isSameRequest, paymentDecider, paymentStreamId } from '@app/domain/payment';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { RequestFingerprints } from '../keys/fingerprints';
import { done, type Outcome, refused } from '../outcome';
import { CapturePaymentCommand, type RecordedRequest } from './commands';
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
    if (!isPaymentId(paymentId)) return refused('PAYMENT_NOT_FOUND');
    const streamId = paymentStreamId(paymentId);
    const loaded = await this.handling.load(paymentDecider, streamId);
    const payment = loaded.state;
    if (payment?.created.merchantId !== caller.merchantId) return refused('PAYMENT_NOT_FOUND');

    const identity = this.fingerprints.identify(idempotencyKey, request);
    const earlier = payment.capture;
    if (earlier !== null && earlier.idempotency?.keyHash === identity.keyHash) {
      const { idempotency, revision } = earlier;
      return isSameRequest(identity, idempotency)
        ? done({ paymentId, revision }, true)
        : refused('IDEMPOTENCY_KEY_REUSED');
    }

    const validated = validateCapture(request, idempotencyKey, payment.created.maskedCardNumber);
    if ('problems' in validated) return refused('VALIDATION_FAILED', validated.problems);
    const handled = await this.handling.handle(
      paymentDecider,
      streamId,
      { kind: 'RequestCapture', amount: validated.amount, identity },
      { correlationId: caller.correlationId, causationId: null, actor: `merchant:${caller.merchantId}` },
      loaded,
    );
    if (handled.kind === 'rejected') return refused(handled.rejection);
    const capture = handled.loaded.state?.capture ?? null;
    if (capture === null) return refused('PAYMENT_NOT_FOUND');
    return done({ paymentId, revision: capture.revision }, handled.events.length === 0);
  }
}
