import { CommandHandling } from '@app/kernel';
import { isPaymentId, isSameRequest, type Payment, paymentDecider, paymentStreamId } from '@app/domain/payment';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { RequestFingerprints } from '../keys/fingerprints';
import { done, type Outcome, refused } from '../outcome';
import { CancelPaymentCommand, type RecordedRequest } from './commands';
import { cancellationProblems } from './validate-payment';

/**
 * Records that the merchant wants the payment cancelled. That is an intent: how the payment ends is known only once the
 * gateway has told what became of an authorization in flight.
 */
@CommandHandler(CancelPaymentCommand)
export class CancelPaymentHandler implements ICommandHandler<CancelPaymentCommand> {
  constructor(
    private readonly handling: CommandHandling,
    private readonly fingerprints: RequestFingerprints,
  ) {}

  /** @throws EventStoreUnavailableError, ContentionError: the outcome is unknown, and the same key tells. */
  async execute(command: CancelPaymentCommand): Promise<Outcome<RecordedRequest>> {
    const { caller, idempotencyKey, paymentId, request } = command;
    if (!isPaymentId(paymentId)) return refused('PAYMENT_NOT_FOUND');
    const streamId = paymentStreamId(paymentId);
    const loaded = await this.handling.load(paymentDecider, streamId);
    const payment = loaded.state;
    if (payment?.created.merchantId !== caller.merchantId) return refused('PAYMENT_NOT_FOUND');

    const identity = this.fingerprints.identify(idempotencyKey, request);
    const earlier = cancellationOf(payment);
    if (earlier?.idempotency.keyHash === identity.keyHash) {
      const { idempotency, revision } = earlier;
      return isSameRequest(identity, idempotency)
        ? done({ paymentId, revision }, true)
        : refused('IDEMPOTENCY_KEY_REUSED');
    }

    const problems = cancellationProblems(request, idempotencyKey, payment.created.maskedCardNumber);
    if (problems.length > 0) return refused('VALIDATION_FAILED', problems);
    const handled = await this.handling.handle(
      paymentDecider,
      streamId,
      { kind: 'RequestCancellation', reason: request.reason ?? null, identity },
      { correlationId: caller.correlationId, causationId: null, actor: `merchant:${caller.merchantId}` },
      loaded,
    );
    if (handled.kind === 'rejected') return refused(handled.rejection);
    const cancellation = cancellationOf(handled.loaded.state);
    if (cancellation === null) return refused('PAYMENT_NOT_FOUND');
    return done({ paymentId, revision: cancellation.revision }, handled.events.length === 0);
  }
}

function cancellationOf(payment: Payment | null) {
  const end = payment?.intendedEnd;
  return end?.as === 'CANCELLED' ? end : null;
}
