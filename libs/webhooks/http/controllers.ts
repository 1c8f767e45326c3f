import { AllWebhookDeliveriesController } from './all-webhook-deliveries.controller';
import { WebhookDeliveriesController } from './webhook-deliveries.controller';

export const webhookControllers = [WebhookDeliveriesController, AllWebhookDeliveriesController];
