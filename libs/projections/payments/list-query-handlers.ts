import {
  Clock,
  type CollectionName,
  DamagedHistoryError,
  EventStore,
  readHistory,
  type ReadStore,
  type StoredEvent,
} from '@app/kernel';
import {
  isPaymentStream,
  type PaymentEvent,
  paymentSchemas,
  type PublicEvent,
  publicEventsOf,
} from '@app/domain/payment';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { CompleteReads } from '../complete-reads';
import { ONE_PARTITION, Partitions } from '../partitions';
import { ListPaymentsQuery, ListPublicEventsQuery, type PaymentPage, type PublicEventPage } from './list-queries';
import { paymentPage } from './payment-page';
import { paymentViews, publicEventEntries } from './projection';
import type { PublicEventEntry } from './public-event-feed';

/** After so many events everybody else has their turn: a payment with a thousand refunds has two thousand and more. */
const MAX_FOLDED_IN_A_TURN = 1_000;

@QueryHandler(ListPaymentsQuery)
export class ListPaymentsHandler implements IQueryHandler<ListPaymentsQuery> {
  constructor(
    private readonly reads: CompleteReads,
    private readonly partitions: Partitions = ONE_PARTITION,
  ) {}

  /** The first page waits for what was stored before it was asked for; later ones only go further back. */
  execute(query: ListPaymentsQuery): Promise<PaymentPage | 'rebuilding'> {
    const name = this.partitions.collectionFor(paymentViews, query.merchantId);
    const read = (readStore: ReadStore) => paymentPage(readStore, name, query);
    return query.after === null ? this.reads.ofNow(name.projection, read) : this.reads.of(name.projection, read);
  }
}

@QueryHandler(ListPublicEventsQuery)
export class ListPublicEventsHandler implements IQueryHandler<ListPublicEventsQuery> {
  constructor(
    private readonly reads: CompleteReads,
    private readonly eventStore: EventStore,
    private readonly clock: Clock,
    private readonly partitions: Partitions = ONE_PARTITION,
  ) {}

  async execute(query: ListPublicEventsQuery): Promise<PublicEventPage | 'unknown-event' | 'rebuilding'> {
    const { limit } = query;
    const name = this.partitions.collectionFor(publicEventEntries, query.merchantId);
    const listed = await this.reads.of(name.projection, (readStore) => this.entries(readStore, name, query));
    if (typeof listed === 'string') return listed;
    const items = await this.told(query.merchantId, listed.slice(0, limit));
    return { items, next: listed.length > limit ? (listed[limit - 1]?.key ?? null) : null };
  }

  private async entries(
    readStore: ReadStore,
    name: CollectionName,
    { merchantId, after, limit }: ListPublicEventsQuery,
  ): Promise<readonly ListedEvent[] | 'unknown-event'> {
    let order: string | null = null;
    if (after !== null) {
      const [known] = (await readStore.getMany(name, [after])) as readonly (PublicEventEntry | null)[];
      if (known?.merchantId !== merchantId) return 'unknown-event';
      ({ order } = known);
    }
    const request = { name, list: merchantId, direction: 'ascending', after: order } as const;
    const page = await readStore.page({ ...request, limit: limit + 1 });
    return page.map(({ key, document }) => ({ ...(document as PublicEventEntry), key }));
  }

  /**
   * As their webhooks told them: of each payment as it was then. However many tell of one payment, it is folded once. What the log
   * does not bear out is left out, and so is what can't be believed any more.
   */
  private async told(merchantId: string, entries: readonly ListedEvent[]): Promise<readonly PublicEvent[]> {
    const wanted = new Map<string, Set<number>>();
    for (const { source } of entries) {
      wanted.set(source.streamId, (wanted.get(source.streamId) ?? new Set()).add(source.revision));
    }
    const told = new Map<string, ReadonlyMap<number, PublicEvent>>();
    let folded = 0;
    for (const [streamId, revisions] of wanted) {
      if (folded >= MAX_FOLDED_IN_A_TURN) {
        await this.clock.sleep(0);
        folded = 0;
      }
      const events = await this.eventsUpTo(streamId, Math.max(...revisions));
      told.set(
        streamId,
        publicEventsOf(events, (revision) => revisions.has(revision)),
      );
      folded += events.length;
    }
    return entries.flatMap(({ key, source: { streamId, revision } }) => {
      const event = told.get(streamId)?.get(revision);
      return event?.eventId === key && event.data['merchantId'] === merchantId ? [event] : [];
    });
  }

  private async eventsUpTo(streamId: string, revision: number): Promise<readonly StoredEvent<PaymentEvent>[]> {
    if (!isPaymentStream(streamId)) return [];
    try {
      return readHistory(await this.eventStore.readStream(streamId, { maxCount: revision + 1 }), paymentSchemas);
    } catch (error) {
      if (!(error instanceof DamagedHistoryError)) throw error;
      return [];
    }
  }
}

/** An entry with the id of the event that it is to tell of. */
interface ListedEvent extends PublicEventEntry {
  readonly key: string;
}
