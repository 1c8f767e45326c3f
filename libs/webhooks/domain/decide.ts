import { accepted, type Decision, unreachable } from '@app/event-sourcing';
import type { AttemptOutcome, RecordAttempt, RequestRedelivery, WebhookDeliveryCommand } from './commands';
import type { WebhookDeliveryEvent } from './events';
import type { WebhookDelivery } from './webhook-delivery';

type DeliveryDecision = Decision<WebhookDeliveryEvent, never>;

/** Decides every command on a delivery. A repeated command decides nothing new. */
export function decide(command: WebhookDeliveryCommand, delivery: WebhookDelivery): DeliveryDecision {
  switch (command.type) {
    case 'RecordAttempt':
      return recordAttempt(command, delivery);
    case 'RequestRedelivery':
      return requestRedelivery(command, delivery);
    default:
      return unreachable(command);
  }
}

/** Each attempt is recorded once: another worker's record of it, or an end reached in the meantime, stands. */
function recordAttempt(command: RecordAttempt, delivery: WebhookDelivery): DeliveryDecision {
  const { attempt, durationMs } = command;
  if (delivery.status !== 'PENDING' || attempt !== delivery.attempts + 1) return accepted();
  const facts = { ...command.delivery, attempt, durationMs };
  const outcome = outcomeOf(command, delivery);
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
        data: { ...facts, failure, nextAttemptAt, scheduledAt: command.now },
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

/** A redelivery requested during the attempt is still to be made if the attempt fails. */
function outcomeOf({ outcome, scheduleBegan, now }: RecordAttempt, delivery: WebhookDelivery): AttemptOutcome {
  if (outcome.kind === 'delivered' || scheduleBegan === delivery.scheduleBegan) return outcome;
  return { kind: 'failed', failure: outcome.failure, nextAttemptAt: now };
}

function requestRedelivery(command: RequestRedelivery, delivery: WebhookDelivery): DeliveryDecision {
  const { requestId, status } = command;
  if (requestId !== undefined && delivery.requestIds.includes(requestId)) return accepted();
  if (status !== undefined && status !== delivery.status) return accepted();
  // It is due already: not attempted yet, or requested before.
  if (delivery.status === 'PENDING' && delivery.wait === null) return accepted();
  return accepted<WebhookDeliveryEvent>({
    type: 'WebhookRedeliveryRequested',
    data: { ...command.delivery, ...(requestId === undefined ? {} : { requestId }) },
  });
}
