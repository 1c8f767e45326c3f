import { paymentIdOfStream, publicEventId } from '@app/payments/domain';
import { paymentEvents } from '@app/payments/read-models/payment-events';
import {
  deliveryIdOfEvent,
  isDeliveryId,
  type WebhookDeliveryEvent,
  webhookDeliverySchemas,
  webhookDeliveryStreamId,
} from '@app/webhooks/domain';
import {
  Clock,
  type CollectionName,
  EventStore,
  type ListedDocument,
  readEvent,
  readHistory,
  type ReadStore,
} from '@app/event-sourcing';
import { Injectable } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { CompleteReads } from '@app/projections/complete-reads';
import { ONE_PARTITION, Partitions } from '@app/projections/partitions';
import { deliveryList, deliveryOrder, webhookDelivery, type WebhookDeliveryDocument } from './delivery';
import type { WebhookDeliveryDetail } from './documents';
import { webhookDeliveryDocuments } from './projection';
import {
  GetWebhookDeliveryQuery,
  type ListedWebhookDelivery,
  ListWebhookDeliveriesQuery,
  ReadWebhookDeliveryQuery,
  type WebhookDeliveryListRequest,
  type WebhookDeliveryPage,
} from './queries';

type Listed = Pick<ListedDocument, 'order' | 'document'>;
type Direction = WebhookDeliveryListRequest['direction'];

/** Reads of webhook deliveries; no result is partial while the model is being built. */
@Injectable()
export class WebhookDeliveryReader {
  constructor(
    private readonly eventStore: EventStore,
    private readonly clock: Clock,
    private readonly reads: CompleteReads,
    private readonly partitions: Partitions = ONE_PARTITION,
  ) {}

  /** What the model lags behind is folded from the delivery's stream, so that a redelivery just requested is shown. */
  async one(merchantId: string | null, deliveryId: string): Promise<ListedWebhookDelivery | null | 'rebuilding'> {
    if (!isDeliveryId(deliveryId)) return null;
    let document = await this.stored(merchantId, deliveryId, 'of');
    // A webhook may be sent before the model that lists it has it.
    document ??= await this.stored(merchantId, deliveryId, 'ofNow');
    if (document === 'rebuilding') return document;
    if (document === null || (merchantId !== null && document.body.merchantId !== merchantId)) return null;
    const streamId = webhookDeliveryStreamId(deliveryId);
    for (const recorded of await this.eventStore.readStream(streamId, { from: document.nextRevision })) {
      const event = readEvent<WebhookDeliveryEvent>(recorded, webhookDeliverySchemas);
      document = webhookDelivery.evolve(document, event) ?? document;
    }
    return shown(document);
  }

  /** Responses are kept in the delivery's own stream only, so that lists stay small. */
  async detail(deliveryId: string): Promise<WebhookDeliveryDetail | null | 'rebuilding'> {
    const found = await this.one(null, deliveryId);
    if (found === null || found === 'rebuilding') return found;
    const recorded = await this.eventStore.readStream(webhookDeliveryStreamId(deliveryId));
    const events = readHistory<WebhookDeliveryEvent>(recorded, webhookDeliverySchemas);
    const answers = new Map(
      events.flatMap(({ data }) => ('failure' in data ? [[data.attempt, data.failure.answer ?? null] as const] : [])),
    );
    const attempts = found.body.attempts.map((tried) => {
      return { ...tried, answerBeginning: answers.get(tried.attempt) ?? null };
    });
    return { ...found.body, attempts };
  }

  private async stored(
    merchantId: string | null,
    deliveryId: string,
    how: 'of' | 'ofNow',
  ): Promise<WebhookDeliveryDocument | null | 'rebuilding'> {
    const read = (readStore: ReadStore, name: CollectionName) => readStore.getMany(name, [deliveryId]);
    const found = await this.inParts(merchantId, read, how);
    if (found === 'rebuilding') return found;
    return (found.flat().find((stored) => stored !== null) ?? null) as WebhookDeliveryDocument | null;
  }

  async page(request: WebhookDeliveryListRequest): Promise<WebhookDeliveryPage | 'rebuilding'> {
    const { limit, paymentId = null } = request;
    const listed = await (paymentId === null ? this.listed(request) : this.ofPayment(request, paymentId));
    if (listed === 'rebuilding') return listed;
    const items = listed.slice(0, limit);
    return {
      items: items.map(({ document }) => shown(document as WebhookDeliveryDocument)),
      next: listed.length > limit ? (items.at(-1)?.order ?? null) : null,
    };
  }

  private async listed(request: WebhookDeliveryListRequest): Promise<readonly Listed[] | 'rebuilding'> {
    const { merchantId, status, direction, after, until = null, limit } = request;
    const read = { list: deliveryList(merchantId, status), direction, after, until, limit: limit + 1 };
    const pages = await this.inParts(merchantId, (readStore, name) => readStore.page({ ...read, name }));
    return pages === 'rebuilding' ? pages : mergedPages(pages, direction);
  }

  /**
   * Delivery ids are derived from event ids, and a payment has few events, so no list per payment is needed.
   *
   * @throws DamagedHistoryError: of a part of the events only a part of the deliveries could be told.
   */
  private async ofPayment(
    { merchantId, status, direction, after, until = null }: WebhookDeliveryListRequest,
    paymentId: string,
  ): Promise<readonly Listed[] | 'rebuilding'> {
    const events = await paymentEvents({ eventStore: this.eventStore, clock: this.clock }, merchantId, paymentId);
    const ids = events.map(({ id }) => deliveryIdOfEvent(publicEventId(id)));
    const parts = await this.inParts(merchantId, (readStore, name) => readStore.getMany(name, ids));
    if (parts === 'rebuilding') return parts;
    const stored = parts.flat() as readonly (WebhookDeliveryDocument | null)[];
    const wanted = stored
      .filter((document) => document !== null)
      .filter(({ body }) => (merchantId ?? body.merchantId) === body.merchantId)
      .filter(({ body }) => (status ?? body.status) === body.status)
      .map((document) => ({ document, order: deliveryOrder(document.body) }))
      .filter(({ order }) => (after === null || isBehind(order, after)) && (until === null || isBehind(until, order)));
    return sorted(wanted, direction);

    function isBehind(order: string, other: string): boolean {
      return direction === 'ascending' ? order > other : order < other;
    }
  }

  /**
   * Reads the merchant's partition, or all partitions for the operator; `rebuilding` unless all of them are complete.
   */
  private async inParts<T>(
    merchantId: string | null,
    read: (readStore: ReadStore, name: CollectionName) => Promise<T>,
    how: 'of' | 'ofNow' = 'of',
  ): Promise<readonly T[] | 'rebuilding'> {
    const names =
      merchantId === null
        ? this.partitions.collections(webhookDeliveryDocuments)
        : [this.partitions.collectionFor(webhookDeliveryDocuments, merchantId)];
    const parts = await Promise.all(
      names.map((name) => this.reads[how](name.projection, (readStore) => read(readStore, name))),
    );
    const whole = parts.filter((part) => part !== 'rebuilding');
    return whole.length === parts.length ? (whole as readonly T[]) : 'rebuilding';
  }
}

/** Each page is sorted. No order key occurs in two pages, because it ends with the delivery's id. */
function mergedPages(pages: readonly (readonly Listed[])[], direction: Direction): readonly Listed[] {
  return pages.length === 1 ? (pages[0] ?? []) : sorted(pages.flat(), direction);
}

function sorted(listed: readonly Listed[], direction: Direction): readonly Listed[] {
  const sign = direction === 'ascending' ? 1 : -1;
  return [...listed].sort((a, b) => (a.order < b.order ? -sign : sign));
}

function shown({ body, source }: WebhookDeliveryDocument): ListedWebhookDelivery {
  const { deliveryId, merchantId, ...rest } = body;
  return { body: { deliveryId, merchantId, paymentId: paymentIdOfStream(source.streamId), ...rest }, source };
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

@QueryHandler(ReadWebhookDeliveryQuery)
export class ReadWebhookDeliveryHandler implements IQueryHandler<ReadWebhookDeliveryQuery> {
  constructor(private readonly reader: WebhookDeliveryReader) {}

  execute({ deliveryId }: ReadWebhookDeliveryQuery): Promise<WebhookDeliveryDetail | null | 'rebuilding'> {
    return this.reader.detail(deliveryId);
  }
}
