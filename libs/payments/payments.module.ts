import { IdempotencyModule } from '@app/idempotency/idempotency.module';
import { Module } from '@nestjs/common';
import { CancelPaymentHandler } from './commands/cancel-payment.handler';
import { CapturePaymentHandler } from './commands/capture-payment.handler';
import { CreatePaymentHandler } from './commands/create-payment.handler';
import { CreateRefundHandler } from './commands/create-refund.handler';
import { paymentControllers } from './http/controllers';
import {
  GetPaymentAtHandler,
  GetPaymentEventsHandler,
  GetPaymentRefundsHandler,
  PaymentHistory,
} from './read-models/history-query-handlers';
import { ListPaymentsHandler, ListPublicEventsHandler } from './read-models/list-query-handlers';
import {
  FoldPaymentHandler,
  GetPaymentHandler,
  GetPaymentsHandler,
  GetRefundHandler,
  PaymentReader,
} from './read-models/query-handlers';

/** Payments and their refunds over HTTP. The reactor is a worker: see `apps/counterfoil/workers.ts`. */
@Module({
  imports: [IdempotencyModule],
  controllers: paymentControllers,
  providers: [
    CreatePaymentHandler,
    CreateRefundHandler,
    CapturePaymentHandler,
    CancelPaymentHandler,
    PaymentHistory,
    GetPaymentAtHandler,
    GetPaymentRefundsHandler,
    GetPaymentEventsHandler,
    PaymentReader,
    FoldPaymentHandler,
    GetPaymentHandler,
    GetPaymentsHandler,
    GetRefundHandler,
    ListPaymentsHandler,
    ListPublicEventsHandler,
  ],
})
export class PaymentsModule {}
