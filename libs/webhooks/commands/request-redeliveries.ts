import { isPaymentStream, type PaymentEvent, paymentSchemas } from '@app/payments/domain';
import {
  type DeliveryFacts,
  deliveryOf,
  isDeliveryId,
  type RequestRedelivery,
  webhookDeliveryDecider,
  webhookDeliveryStreamId,
} from '@app/webhooks/domain';
import {
  assertNotDeleted,
  type CommandContext,
  CommandHandling,
  DamagedHistoryError,
  EventStore,
  readEvent,
  type StoredEvent,
} from '@app/event-sourcing';
import { ForgedEntries } from '@app/platform/telemetry';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

/** Streams that are written at the same time: enough for a group commit, and other requests still get their turn. */
const AT_ONCE = 16;

/** Where a list says that the event stands which a delivery tells of: for the log to bear out. */
export interface ListedDelivery {
  readonly deliveryId: string;
  readonly source: DeliveryFacts['source'];
}

/** Which of the deliveries are meant: judged by the log, whatever a list said. Absent: any. */
export interface RedeliveryCondition {
  readonly merchantId?: string | undefined;
  readonly status?: RequestRedelivery['status'];
  /**
   * When the event was recorded, RFC 3339 UTC: the first time that is meant, and the first one after it that is not.
   */
  readonly recordedFrom?: string | undefined;
  readonly recordedUntil?: string | undefined;
}

/** How many of the deliveries are what they were listed as, and how many of those were not due already. */
export interface Redeliveries {
  readonly found: number;
  readonly requested: number;
}

export class RequestRedeliveriesCommand extends Command<Redeliveries> {
  constructor(
    readonly context: CommandContext,
    /** As many as are fit for one request: each one is an append. */
    readonly deliveries: readonly ListedDelivery[],
    readonly condition: RedeliveryCondition,
    /** Names the request for ever: what it asked for once it does not ask for again. */
    readonly requestId: string | null,
  ) {
    super();
  }
}

/** Makes webhooks due at once, whatever had become of them before. */
@CommandHandler(RequestRedeliveriesCommand)
export class RequestRedeliveriesHandler implements ICommandHandler<RequestRedeliveriesCommand> {
  constructor(
    private readonly handling: CommandHandling,
    private readonly eventStore: EventStore,
    @Inject(ForgedEntries) private readonly forged: Pick<ForgedEntries, 'report'>,
  ) {}

  /**
   * @throws EventStoreUnavailableError, ContentionError: some may have been requested; repeating it is harmless.
   * @throws DamagedHistoryError where there is but one, and it can't be believed.
   */
  async execute(command: RequestRedeliveriesCommand): Promise<Redeliveries> {
    const { deliveries } = command;
    let [found, requested] = [0, 0];
    for (let from = 0; from < deliveries.length; from += AT_ONCE) {
      const some = deliveries.slice(from, from + AT_ONCE);
      const done = await Promise.all(some.map((delivery) => this.request(command, delivery)));
      found += done.filter((outcome) => outcome !== 'not found').length;
      requested += done.filter((outcome) => outcome === 'requested').length;
    }
    return { found, requested };
  }

  private async request(command: RequestRedeliveriesCommand, listed: ListedDelivery) {
    try {
      return await this.requestOne(command, listed);
    } catch (error) {
      // One that is damaged does not stand in the way of all others of its range.
      if (error instanceof DamagedHistoryError && command.deliveries.length > 1) return 'not found';
      throw error;
    }
  }

  private async requestOne(
    { context, condition, requestId }: RequestRedeliveriesCommand,
    listed: ListedDelivery,
  ): Promise<'requested' | 'due already' | 'not found'> {
    const event = await this.eventOf(listed);
    const delivery = event && deliveryOf(event);
    if (event === null || delivery?.deliveryId !== listed.deliveryId) {
      this.forged.report('webhookDelivery', listed.deliveryId, 'its source is not the event that it tells of');
      return 'not found';
    }
    const { merchantId = delivery.merchantId, recordedFrom = '', recordedUntil, status } = condition;
    const { recordedAt } = event.metadata;
    const isMeant = recordedAt >= recordedFrom && (recordedUntil === undefined || recordedAt < recordedUntil);
    if (merchantId !== delivery.merchantId || !isMeant) return 'not found';
    const streamId = webhookDeliveryStreamId(delivery.deliveryId);
    const request = { ...(status === undefined ? {} : { status }), ...(requestId === null ? {} : { requestId }) };
    const redelivery = { type: 'RequestRedelivery', delivery, ...request } as const;
    const handled = await this.handling.handle(webhookDeliveryDecider, streamId, redelivery, context);
    return handled.kind === 'accepted' && handled.events.length > 0 ? 'requested' : 'due already';
  }

  private async eventOf({ deliveryId, source }: ListedDelivery): Promise<StoredEvent<PaymentEvent> | null> {
    const { streamId, revision } = source;
    const isPlace = isDeliveryId(deliveryId) && isPaymentStream(streamId) && Number.isSafeInteger(revision);
    if (!isPlace || revision < 0) return null;
    const [recorded] = await this.eventStore.readStream(streamId, { from: revision, maxCount: 1 });
    if (recorded !== undefined) return readEvent<PaymentEvent>(recorded, paymentSchemas);
    await assertNotDeleted(this.eventStore, streamId);
    return null;
  }
}
