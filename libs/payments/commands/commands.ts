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

/** The data for the response to a create; the same for every replay. */
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

/**
 * Identifies the event that stores a request. The response, and that of every replay, shows the payment as of this
 * event.
 */
export interface RecordedRequest {
  readonly paymentId: string;
  readonly revision: number;
}

/** Captures an authorized payment: once, in full or in part. */
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

/** Cancels a payment before its capture; what is in flight at the gateway is voided. */
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
