import {
  isDeliveryId,
  type WebhookDeliveryEvent,
  webhookDeliverySchemas,
  webhookDeliveryStreamId,
} from '@app/domain/webhook-delivery';
import { EventStore, readEvent } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { CompleteReads } from '../complete-reads';
import { deliveryList, factsOf, webhookDelivery, type WebhookDeliveryDocument } from './delivery';
import { webhookDeliveriesProjection, webhookDeliveryDocuments } from './projection';
import {
  GetWebhookDeliveryQuery,
  type ListedWebhookDelivery,
  ListWebhookDeliveriesQuery,
  type WebhookDeliveryListRequest,
  type WebhookDeliveryPage,
} from './queries';

/** Reads of webhook deliveries, none of them partial while the model is being built. */
@Injectable()
export class WebhookDeliveryReader {
  constructor(
    private readonly eventStore: EventStore,
    private readonly reads: CompleteReads,
  ) {}

  /** What the model lags behind is folded from the delivery's stream, so that a redelivery just asked for is shown. */
  async one(merchantId: string | null, deliveryId: string): Promise<ListedWebhookDelivery | null | 'rebuilding'> {
    if (!isDeliveryId(deliveryId)) return null;
    const found = await this.reads.of(webhookDeliveriesProjection.name, (readStore) =>
      readStore.getMany(webhookDeliveryDocuments, [deliveryId]),
    );
    if (found === 'rebuilding') return found;
    let document = (found[0] ?? null) as WebhookDeliveryDocument | null;
    if (document === null || (merchantId !== null && document.body.merchantId !== merchantId)) return null;
    const streamId = webhookDeliveryStreamId(deliveryId);
    for (const recorded of await this.eventStore.readStream(streamId, { from: document.nextRevision })) {
      const event = readEvent<WebhookDeliveryEvent>(recorded, webhookDeliverySchemas);
      document = webhookDelivery.evolve(document, event) ?? document;
    }
    return shown(document);
  }

  async page(request: WebhookDeliveryListRequest): Promise<WebhookDeliveryPage | 'rebuilding'> {
    const { merchantId, status, direction, after, until = null, limit } = request;
    const list = deliveryList(merchantId, status);
    const read = { name: webhookDeliveryDocuments, list, direction, after, until, limit: limit + 1 };
    const listed = await this.reads.of(webhookDeliveriesProjection.name, (readStore) => readStore.page(read));
    if (listed === 'rebuilding') return listed;
    const items = listed.slice(0, limit);
    return {
      items: items.map(({ document }) => shown(document as WebhookDeliveryDocument)),
      next: listed.length > limit ? (items.at(-1)?.order ?? null) : null,
    };
  }
}

function shown(document: WebhookDeliveryDocument): ListedWebhookDelivery {
  return { body: document.body, facts: factsOf(document) };
}

@QueryHandler(GetWebhookDeliveryQuery)
export class GetWebhookDeliveryHandler implements IQueryHandler<GetWebhookDeliveryQuery> {
  constructor(private readonly reader: WebhookDeliveryReader) {}

  execute({ merchantId, deliveryId }: GetWebhookDeliveryQuery): Promise<ListedWebhookDelivery | null | 'rebuilding'> {
    return this.reader.one(merchantId, deliveryId);
  }
}

@QueryHandler(ListWebhookDeliveriesQuery)
export class ListWebhookDeliveriesHandler implements IQueryHandler<ListWebhookDeliveriesQuery> {
  constructor(private readonly reader: WebhookDeliveryReader) {}

  execute({ request }: ListWebhookDeliveriesQuery): Promise<WebhookDeliveryPage | 'rebuilding'> {
    return this.reader.page(request);
  }
}
