import {
  Clock,
  type CollectionName,
  EventStore,
  isoTime,
  type ListedDocument,
  type ReadStore,
} from '@app/event-sourcing';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { CompleteReads } from '@app/projections/complete-reads';
import { ONE_PARTITION, Partitions } from '@app/projections/partitions';
import { ListPaymentsQuery, ListPublicEventsQuery, type PaymentPage, type PublicEventPage } from './list-queries';
import { paymentPage } from './payment-page';
import { shownAt } from './payment-view';
import { paymentViews, publicEventEntries } from './projection';
import type { PublicEventEntry } from './public-event-feed';
import { type EventPlace, toldEvents } from './told-events';

@QueryHandler(ListPaymentsQuery)
export class ListPaymentsHandler implements IQueryHandler<ListPaymentsQuery> {
  constructor(
    private readonly reads: CompleteReads,
    private readonly clock: Clock,
    private readonly partitions: Partitions = ONE_PARTITION,
  ) {}

  /**
   * The first page waits until the model has everything stored before the request; later pages only reach further back.
   */
  async execute(query: ListPaymentsQuery): Promise<PaymentPage | 'rebuilding'> {
    const name = this.partitions.collectionFor(paymentViews, query.merchantId);
    const read = (readStore: ReadStore) => paymentPage(readStore, name, query);
    const page = await (query.after === null
      ? this.reads.ofNow(name.projection, read)
      : this.reads.of(name.projection, read));
    if (page === 'rebuilding') return page;
    const now = isoTime(this.clock.nowMs());
    return { ...page, items: page.items.map((payment) => shownAt(payment, now)) };
  }
}

@QueryHandler(ListPublicEventsQuery)
export class ListPublicEventsHandler implements IQueryHandler<ListPublicEventsQuery> {
  constructor(
    private readonly reads: CompleteReads,
    readonly eventStore: EventStore,
    readonly clock: Clock,
    private readonly partitions: Partitions = ONE_PARTITION,
  ) {}

  async execute(query: ListPublicEventsQuery): Promise<PublicEventPage | 'unknown-event' | 'rebuilding'> {
    const { limit } = query;
    const name = this.partitions.collectionFor(publicEventEntries, query.merchantId);
    const read = (readStore: ReadStore) => this.entries(readStore, name, query);
    let listed = await this.reads.of(name.projection, read);
    // A webhook may already have delivered an event that this process doesn't yet see in the model.
    if (listed === 'unknown-event') listed = await this.reads.ofNow(name.projection, read);
    if (typeof listed === 'string') return listed;
    const wanted = listed.slice(0, limit);
    const { events, considered } = await toldEvents(this, query.merchantId, wanted.map(placeOf));
    return { items: events, next: considered < listed.length ? (listed[considered - 1]?.order ?? null) : null };
  }

  private async entries(
    readStore: ReadStore,
    name: CollectionName,
    { merchantId, after, limit }: ListPublicEventsQuery,
  ): Promise<readonly ListedDocument[] | 'unknown-event'> {
    let order = after !== null && 'next' in after ? after.next : null;
    if (after !== null && 'eventId' in after) {
      const [known] = (await readStore.getMany(name, [after.eventId])) as readonly (PublicEventEntry | null)[];
      if (known?.merchantId !== merchantId) return 'unknown-event';
      ({ order } = known);
    }
    return readStore.page({ name, list: merchantId, direction: 'ascending', after: order, limit: limit + 1 });
  }
}

/** The place of an entry that names none: in no payment. */
const NOWHERE = { streamId: '', revision: 0 };

/** The place and event that an entry names; neither is verified against the log yet. */
function placeOf({ key, document }: ListedDocument): EventPlace {
  const { streamId, revision } = (document as Partial<PublicEventEntry>).source ?? NOWHERE;
  const isPlace = typeof streamId === 'string' && Number.isSafeInteger(revision) && revision >= 0;
  return { ...(isPlace ? { streamId, revision } : NOWHERE), eventId: key };
}
