import { type DeliveryFacts, webhookDeliveryDecider, webhookDeliveryStreamId } from '@app/domain/webhook-delivery';
import { type CommandContext, CommandHandling } from '@app/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

/** Streams that are written at the same time: enough for a group commit, and other requests still get their turn. */
const AT_ONCE = 16;

/** Answers with how many of the deliveries were not due already. */
export class RequestRedeliveriesCommand extends Command<number> {
  constructor(
    readonly context: CommandContext,
    /** As many as are fit for one request: each one is an append. */
    readonly deliveries: readonly DeliveryFacts[],
  ) {
    super();
  }
}

/** Makes webhooks due at once, whatever had become of them before. */
@CommandHandler(RequestRedeliveriesCommand)
export class RequestRedeliveriesHandler implements ICommandHandler<RequestRedeliveriesCommand> {
  constructor(private readonly handling: CommandHandling) {}

  /** @throws EventStoreUnavailableError, ContentionError: some may have been requested; repeating it is harmless. */
  async execute({ context, deliveries }: RequestRedeliveriesCommand): Promise<number> {
    let requested = 0;
    for (let from = 0; from < deliveries.length; from += AT_ONCE) {
      const some = deliveries.slice(from, from + AT_ONCE);
      const done = await Promise.all(some.map((delivery) => this.request(context, delivery)));
      requested += done.filter(Boolean).length;
    }
    return requested;
  }

  private async request(context: CommandContext, delivery: DeliveryFacts): Promise<boolean> {
    const streamId = webhookDeliveryStreamId(delivery.deliveryId);
    const command = { kind: 'RequestRedelivery', delivery } as const;
    const handled = await this.handling.handle(webhookDeliveryDecider, streamId, command, context);
    return handled.kind === 'accepted' && handled.events.length > 0;
  }
}
