import { Clock, CommandHandling, DeadlineError, isoTime, withinDeadline } from '@app/kernel';
import { maskCardNumber } from '@app/domain/card';
import {
  type CreatePayment,
  isSameRequest,
  type Payment,
  paymentDecider,
  paymentStreamId,
  type RequestIdentity,
} from '@app/domain/payment';
import {
  GatewayOutcomeUnknownError,
  GatewayUnavailableError,
  PaymentGateway,
  type Registration,
} from '@app/gateway/port';
import { failureLog, Logger } from '@app/runtime';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { RequestFingerprints } from '../keys/fingerprints';
import { done, type Outcome, refused } from '../outcome';
import { type CreatedPayment, CreatePaymentCommand } from './commands';
import { paymentIdOf, transactionIdsOf } from './ids';
import { merchantContext } from './merchant-payment';
import { NotifyUrlPolicy } from './notify-url-policy';
import { type ValidAmount, validatePayment } from './validate-payment';

/** How long the customer has for what they must do. */
const CUSTOMER_TIME_MS = 30 * 60_000;
/** How long the gateway may take to register a card. */
const REGISTER_TIMEOUT_MS = 5_000;

/**
 * Creates a payment: its id is derived from the merchant and the key, so the stream can begin once only. An earlier
 * request with the key is answered with the first result, before anything of this one is judged.
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

  /** @throws EventStoreUnavailableError, ContentionError: the outcome is unknown, and the same key tells. */
  async execute(command: CreatePaymentCommand): Promise<Outcome<CreatedPayment>> {
    const { caller, idempotencyKey, request } = command;
    const paymentId = paymentIdOf(caller.merchantId, idempotencyKey);
    const streamId = paymentStreamId(paymentId);
    const identity = this.fingerprints.identify(idempotencyKey, request);
    const loaded = await this.handling.load(paymentDecider, streamId);
    if (loaded.state !== null) return replay(identity, loaded.state);

    const nowMs = this.clock.nowMs();
    const validated = validatePayment(request, nowMs, this.urls);
    if ('problems' in validated) return refused('VALIDATION_FAILED', validated.problems);
    const expiresAtMs = nowMs + CUSTOMER_TIME_MS;
    const registration = await this.register(command, paymentId, identity, validated.amount, expiresAtMs);
    if (registration === 'unavailable') return refused('GATEWAY_UNAVAILABLE');

    const create = createCommand(command, paymentId, identity, validated.amount, expiresAtMs, registration);
    const context = {
      ...merchantContext(caller),
      // So that expiresAt is the payment's creation and the customer's time, to the millisecond.
      atMs: nowMs,
    };
    const handled = await this.handling.handle(paymentDecider, streamId, create, context, loaded);
    if (handled.kind === 'rejected') return refused(handled.rejection);
    return created(handled.loaded.state, handled.events.length === 0);
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
    kind: 'CreatePayment',
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

function replay(identity: RequestIdentity, payment: Payment): Outcome<CreatedPayment> {
  return isSameRequest(identity, payment.created.idempotency)
    ? created(payment, true)
    : refused('IDEMPOTENCY_KEY_REUSED');
}

function created(payment: Payment | null, replayed: boolean): Outcome<CreatedPayment> {
  if (payment === null) return refused('PAYMENT_NOT_FOUND');
  return done({ payment: payment.created, createdAt: payment.timeline.createdAt }, replayed);
}
