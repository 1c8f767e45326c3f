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

/** The number of streams written concurrently: enough for a group commit, while other requests still get their turn. */
const AT_ONCE = 16;

/** A delivery with the place of its event according to a list; the log has to confirm it. */
export interface ListedDelivery {
  readonly deliveryId: string;
  readonly source: DeliveryFacts['source'];
}

/** Which of the deliveries to redeliver, checked against the log and not against the list. Absent fields match any. */
export interface RedeliveryCondition {
  readonly merchantId?: string | undefined;
  readonly status?: RequestRedelivery['status'];
  /** The range of times when the event was recorded, RFC 3339 UTC: from inclusive, until exclusive. */
  readonly recordedFrom?: string | undefined;
  readonly recordedUntil?: string | undefined;
}

/** `found`: deliveries that the log confirms. `requested`: those of them that were not due already. */
export interface Redeliveries {
  readonly found: number;
  readonly requested: number;
}

export class RequestRedeliveriesCommand extends Command<Redeliveries> {
  constructor(
    readonly context: CommandContext,
    /** As many as fit in one request: each one is an append. */
    readonly deliveries: readonly ListedDelivery[],
    readonly condition: RedeliveryCondition,
    /** Identifies the request permanently: a repeat with the same id requests no delivery twice. */
    readonly requestId: string | null,
  ) {
    super();
  }
}

/** Makes deliveries due at once, whatever their status. */
@CommandHandler(RequestRedeliveriesCommand)
export class RequestRedeliveriesHandler implements ICommandHandler<RequestRedeliveriesCommand> {
  constructor(
    private readonly handling: CommandHandling,
    private readonly eventStore: EventStore,
    @Inject(ForgedEntries) private readonly forged: Pick<ForgedEntries, 'report'>,
  ) {}

  /**
   * @throws EventStoreUnavailableError, ContentionError: some may have been requested; repeating the command is safe.
   * @throws DamagedHistoryError if there is only one delivery and its stream can't be trusted.
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
      // A damaged delivery does not keep the rest of the range from being redelivered.
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
