import { accepted, type Decision, unreachable } from '@app/kernel';
import type { WebhookDeliveryCommand } from './commands';
import type { WebhookDeliveryEvent } from './events';
import type { WebhookDelivery } from './webhook-delivery';

/** An attempt is recorded once: another worker's record of it, or an end that was reached meanwhile, stands. */
export function decide(
  command: WebhookDeliveryCommand,
  delivery: WebhookDelivery,
): Decision<WebhookDeliveryEvent, never> {
  const { attempt, durationMs, outcome } = command;
  if (delivery.status !== 'PENDING' || attempt !== delivery.attempts + 1) return accepted();
  const facts = { ...command.delivery, attempt, durationMs };
  switch (outcome.kind) {
    case 'delivered':
      return accepted<WebhookDeliveryEvent>({
        type: 'WebhookDelivered',
        data: { ...facts, httpStatus: outcome.httpStatus },
      });
    case 'failed': {
      const { failure, nextAttemptAt } = outcome;
      return accepted<WebhookDeliveryEvent>({
        type: 'WebhookAttemptFailed',
        data: { ...facts, failure, nextAttemptAt },
      });
    }
    case 'exhausted': {
      const { failure, cause } = outcome;
      return accepted<WebhookDeliveryEvent>({ type: 'WebhookDeliveryExhausted', data: { ...facts, failure, cause } });
    }
    default:
      return unreachable(outcome);
  }
}
