import type { CommandHandling, Loaded } from '@app/event-sourcing';
import { type Origin, type Payment, type PaymentCommand, paymentDecider, paymentStreamId } from '@app/payments/domain';

/** Appends the outcome of a step, with the event that asked for the step as its cause. */
export function record(
  handling: CommandHandling,
  paymentId: string,
  command: PaymentCommand,
  { correlationId, eventId: causationId }: Origin,
  known: Loaded<Payment | null>,
) {
  const context = { correlationId, causationId, actor: 'worker:payments' };
  return handling.handle(paymentDecider, paymentStreamId(paymentId), command, context, known);
}
