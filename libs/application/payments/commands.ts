import { Command } from '@nestjs/cqrs';
import type { PaymentCreated, RefundRequested } from '@app/domain/payment';
import type { Caller, Outcome } from '../outcome';
import type { CreatePaymentRequest, CreateRefundRequest } from './requests';

/** What the answer to a create is made of; the same for every replay. */
export interface CreatedPayment {
  readonly payment: PaymentCreated['data'];
  readonly createdAt: string;
}

export class CreatePaymentCommand extends Command<Outcome<CreatedPayment>> {
  constructor(
    readonly caller: Caller,
    readonly idempotencyKey: string,
    readonly request: CreatePaymentRequest,
  ) {
    super();
  }
}

export class CreateRefundCommand extends Command<Outcome<RefundRequested['data']>> {
  constructor(
    readonly caller: Caller,
    readonly idempotencyKey: string,
    readonly paymentId: string,
    readonly request: CreateRefundRequest,
  ) {
    super();
  }
}
