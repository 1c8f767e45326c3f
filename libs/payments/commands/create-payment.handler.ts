import { Clock, CommandHandling, DeadlineError, isoTime, withinDeadline } from '@app/event-sourcing';
import { maskCardNumber } from '@app/cards';
import type { RequestIdentity } from '@app/idempotency/domain/repetition';
import { type CreatePayment, type PaymentCommand, paymentDecider, paymentStreamId } from '@app/payments/domain';
import {
  GatewayOutcomeUnknownError,
  GatewayUnavailableError,
  PaymentGateway,
  type Registration,
} from '@app/gateway/port';
import { failureLog, Logger } from '@app/platform/telemetry';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { RequestFingerprints } from '@app/keys/fingerprints';
import { refused } from '@app/platform/outcome';
import type { PaymentOutcome } from './outcome';
import { type CreatedPayment, CreatePaymentCommand } from './commands';
import { paymentIdOf, transactionIdsOf } from './ids';
import { acceptOnce, merchantContext } from './merchant-payment';
import { NotifyUrlPolicy } from './notify-url-policy';
import { type ValidAmount, validatePayment } from './validate-payment';

/** How long the customer has to complete the required action. */
const CUSTOMER_TIME_MS = 30 * 60_000;
/** How long the gateway may take to register a card. */
const REGISTER_TIMEOUT_MS = 5_000;

/**
 * Creates a payment. Its id is derived from the merchant and the idempotency key, so the stream can be started only
 * once. An earlier request with the same key is answered with the first result.
 */
@CommandHandler(CreatePaymentCommand)
export class CreatePaymentHandler implements ICommandHandler<CreatePaymentCommand> {
  constructor(
    private readonly handling: CommandHandling,
    private readonly gateway: PaymentGateway,
    private readonly fingerprints: RequestFingerprints,
    private readonly urls: NotifyUrlPolicy,
    readonly clock: Clock,
    readonly logger: Logger,
  ) {}

  /**
   * @throws EventStoreUnavailableError, ContentionError: the outcome is unknown; a repeat with the same key returns it.
   */
  async execute(command: CreatePaymentCommand): Promise<PaymentOutcome<CreatedPayment>> {
    const { caller, idempotencyKey, request } = command;
    const paymentId = paymentIdOf(caller.merchantId, idempotencyKey);
    const streamId = paymentStreamId(paymentId);
    const identity = this.fingerprints.identify(idempotencyKey, request);
    const keyed = { type: 'CreatePayment', identity } as const;
    const loaded = await this.handling.load(paymentDecider, streamId);
    const nowMs = this.clock.nowMs();
    // The same time for both, so that expiresAt is exactly createdAt plus the customer's time, to the millisecond.
    const context = { ...merchantContext(caller), atMs: nowMs };
    const handle = (create: PaymentCommand) => this.handling.handle(paymentDecider, streamId, create, context, loaded);
    return acceptOnce(
      { payment: loaded.state, handle },
      {
        request: keyed,
        idempotencyKey,
        judge: async () => {
          const validated = validatePayment(request, nowMs, this.urls);
          if ('problems' in validated) return refused('VALIDATION_FAILED', validated.problems);
          const expiresAtMs = nowMs + CUSTOMER_TIME_MS;
          const registration = await this.register(command, paymentId, identity, validated.amount, expiresAtMs);
          if (registration === 'unavailable') return refused('GATEWAY_UNAVAILABLE');
          return createCommand(command, paymentId, identity, validated.amount, expiresAtMs, registration);
        },
        answerOf: ({ created, createdAt }) => ({ payment: created, createdAt }),
      },
    );
  }

  private async register(
    { caller, request }: CreatePaymentCommand,
    paymentId: string,
    identity: RequestIdentity,
    amount: ValidAmount,
    expiresAtMs: number,
  ): Promise<Registration | 'unavailable'> {
    const registration = {
      paymentId,
      fingerprint: identity.fingerprints[0].fingerprint,
      merchantId: caller.merchantId,
      merchantName: caller.merchantName,
      orderId: request.order.orderId,
      ...(request.order.description === undefined ? {} : { description: request.order.description }),
      amount,
      card: request.payer.paymentMethod.card,
      ...(request.riskData === undefined ? {} : { riskData: request.riskData }),
      ...(request.returnUrl === undefined ? {} : { returnUrl: request.returnUrl }),
      expiresAtMs,
    };
    const register = (signal: AbortSignal) => this.gateway.register(registration, signal);
    try {
      return await withinDeadline(this.clock, REGISTER_TIMEOUT_MS, [], register);
    } catch (error) {
      if (!isUnavailability(error)) throw error;
      const message = 'payments are refused: the gateway does not take the card';
      const fields = { requestId: caller.correlationId, paymentId };
      failureLog(this).failed({ level: 'warn', message, fields, isForeseen: true }, error);
      return 'unavailable';
    }
  }
}

function isUnavailability(error: unknown): boolean {
  return [GatewayUnavailableError, GatewayOutcomeUnknownError, DeadlineError].some((kind) => error instanceof kind);
}

function createCommand(
  { caller, request }: CreatePaymentCommand,
  paymentId: string,
  identity: RequestIdentity,
  amount: ValidAmount,
  expiresAtMs: number,
  registration: Registration,
): CreatePayment {
  return {
    type: 'CreatePayment',
    identity,
    payment: {
      paymentId,
      merchantId: caller.merchantId,
      orderId: request.order.orderId,
      payerId: request.payer.payerId,
      maskedCardNumber: maskCardNumber(request.payer.paymentMethod.card.number),
      amountMinor: String(amount.amountMinor),
      currency: amount.currency,
      captureMethod: request.captureMethod ?? 'AUTOMATIC',
      merchantMetadata: Object.entries(request.merchantMetadata ?? {}),
      notifyUrl: request.notifyUrl ?? null,
      expiresAt: isoTime(expiresAtMs),
      transactionIds: transactionIdsOf(paymentId),
      gatewayReference: registration.gatewayReference,
      riskScore: registration.riskScore,
      riskLevel: registration.riskLevel,
      nextAction: registration.nextAction,
    },
  };
}
