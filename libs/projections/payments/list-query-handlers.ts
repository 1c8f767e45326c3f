import { Clock, type CollectionName, EventStore, readEvent, type ReadStore } from '@app/kernel';
import { type PaymentEvent, paymentSchemas, type PublicEvent, publicEventsOf } from '@app/domain/payment';
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
    const read = (readStore: ReadStore) => this.entries(readStore, name, query);
    let listed = await this.reads.of(name.projection, read);
    // Its webhook may have told of an event that this process hasn't seen in the model yet.
    if (listed === 'unknown-event') listed = await this.reads.ofNow(name.projection, read);
    if (typeof listed === 'string') return listed;
    const items = await this.told(listed.slice(0, limit));
    return { items, hasMore: listed.length > limit };
  }

  private async entries(
    readStore: ReadStore,
    name: CollectionName,
    { merchantId, after, limit }: ListPublicEventsQuery,
  ): Promise<readonly PublicEventEntry[] | 'unknown-event'> {
    let order: string | null = null;
    if (after !== null) {
      const [known] = (await readStore.getMany(name, [after])) as readonly (PublicEventEntry | null)[];
      if (known?.merchantId !== merchantId) return 'unknown-event';
      ({ order } = known);
    }
    const request = { name, list: merchantId, direction: 'ascending', after: order } as const;
    const page = await readStore.page({ ...request, limit: limit + 1 });
    return page.map(({ document }) => document as PublicEventEntry);
  }

  /** As their webhooks told them: of each payment as it was then. However many tell of one payment, it is folded once. */
  private async told(entries: readonly PublicEventEntry[]): Promise<readonly PublicEvent[]> {
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
      const recorded = await this.eventStore.readStream(streamId, { maxCount: Math.max(...revisions) + 1 });
      const events = recorded.map((event) => readEvent<PaymentEvent>(event, paymentSchemas));
      told.set(
        streamId,
        publicEventsOf(events, (revision) => revisions.has(revision)),
      );
      folded += events.length;
    }
    return entries.map(({ source: { streamId, revision } }) => {
      const event = told.get(streamId)?.get(revision);
      if (event === undefined) throw new Error(`${streamId}@${revision} holds nothing to tell of`);
      return event;
    });
  }
}
