import { DisputesController } from './disputes.controller';
import { PaymentActionsController } from './payment-actions.controller';
import { PaymentHistoryController } from './payment-history.controller';
import { PaymentListController } from './payment-list.controller';
import { PaymentsController } from './payments.controller';
import { PublicEventsController } from './public-events.controller';
import { RefundsController } from './refunds.controller';

export const paymentControllers = [
  PaymentsController,
  PaymentActionsController,
  PaymentHistoryController,
  PaymentListController,
  PublicEventsController,
  RefundsController,
  DisputesController,
];
