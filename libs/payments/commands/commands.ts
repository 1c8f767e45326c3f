import { Command } from '@nestjs/cqrs';
import type { PaymentCreated, RequestedRefund } from '@app/payments/domain';
import type { PaymentOutcome } from './outcome';
import type { Caller } from '@app/platform/asker';
import type {
  CancelPaymentRequest,
  CapturePaymentRequest,
  CreatePaymentRequest,
  CreateRefundRequest,
} from './requests';

/** What the answer to a create is made of; the same for every replay. */
export interface CreatedPayment {
  readonly payment: PaymentCreated['data'];
  readonly createdAt: string;
}

export class CreatePaymentCommand extends Command<PaymentOutcome<CreatedPayment>> {
  constructor(
    readonly caller: Caller,
    readonly idempotencyKey: string,
    readonly request: CreatePaymentRequest,
  ) {
    super();
  }
}

export class CreateRefundCommand extends Command<PaymentOutcome<RequestedRefund>> {
  constructor(
    readonly caller: Caller,
    readonly idempotencyKey: string,
    readonly paymentId: string,
    readonly request: CreateRefundRequest,
  ) {
    super();
  }
}

/** The event that holds a request; the answer, and that of every replay, shows the payment as of it. */
export interface RecordedRequest {
  readonly paymentId: string;
  readonly revision: number;
}

/** Takes the money of an authorized payment: once, all of it or less. */
export class CapturePaymentCommand extends Command<PaymentOutcome<RecordedRequest>> {
  constructor(
    readonly caller: Caller,
    readonly idempotencyKey: string,
    readonly paymentId: string,
    readonly request: CapturePaymentRequest,
  ) {
    super();
  }
}

/** Ends a payment whose money was not asked for yet; what is in flight at the gateway is voided. */
export class CancelPaymentCommand extends Command<PaymentOutcome<RecordedRequest>> {
  constructor(
    readonly caller: Caller,
    readonly idempotencyKey: string,
    readonly paymentId: string,
    readonly request: CancelPaymentRequest,
  ) {
    super();
  }
}
