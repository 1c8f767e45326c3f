import { EventStore, type ListedDocument, type PageRequest, readEvent, type ReadStore } from '@app/kernel';
import {
  type Payment,
  paymentDecider,
  type PaymentEvent,
  paymentSchemas,
  type PublicEvent,
  toPublicEvent,
} from '@app/domain/payment';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { CompleteReads } from '../complete-reads';
import { ListPaymentsQuery, ListPublicEventsQuery, type PaymentPage, type PublicEventPage } from './list-queries';
import { paymentListOf, type PaymentView } from './payment-view';
import { paymentsProjection, paymentViews, publicEventEntries } from './projection';
import type { PublicEventEntry } from './public-event-feed';

/** Filters beyond the chosen list are applied to at most so many payments a page; a page may then hold fewer than asked. */
const MAX_SCANNED = 2_000;
const SCAN_STEP = 200;

@QueryHandler(ListPaymentsQuery)
export class ListPaymentsHandler implements IQueryHandler<ListPaymentsQuery> {
  constructor(private readonly reads: CompleteReads) {}

  /** The first page waits for what was stored before it was asked for; later ones only go further back. */
  execute(query: ListPaymentsQuery): Promise<PaymentPage | 'rebuilding'> {
    const { name } = paymentsProjection;
    const read = (readStore: ReadStore) => scan(readStore, query);
    return query.after === null ? this.reads.ofNow(name, read) : this.reads.of(name, read);
  }
}

async function scan(readStore: ReadStore, query: ListPaymentsQuery): Promise<PaymentPage> {
  const { merchantId, filters, limit } = query;
  const { list, rest } = paymentListOf(merchantId, filters);
  const found: ListedDocument[] = [];
  // An order is a time, `|` and an id: a time alone stands before all orders of that time.
  let after = query.after ?? filters.createdTo ?? null;
  for (let scanned = 0; scanned < MAX_SCANNED; scanned += SCAN_STEP) {
    const wanted = rest.length === 0 ? limit + 1 - found.length : SCAN_STEP;
    const request: PageRequest = { name: paymentViews, list, direction: 'descending', after, limit: wanted };
    const page = await readStore.page({ ...request, until: filters.createdFrom ?? null });
    for (const entry of page) {
      if (!rest.every((fits) => fits(entry.document as PaymentView))) continue;
      found.push(entry);
      if (found.length > limit) return pageOf(found.slice(0, limit), found[limit - 1]?.order ?? null);
    }
    if (page.length < wanted) return pageOf(found, null);
    after = page.at(-1)?.order ?? after;
  }
  return pageOf(found, after);
}

function pageOf(entries: readonly ListedDocument[], next: string | null): PaymentPage {
  return { items: entries.map(({ document }) => (document as PaymentView).body), next };
}

@QueryHandler(ListPublicEventsQuery)
export class ListPublicEventsHandler implements IQueryHandler<ListPublicEventsQuery> {
  constructor(
    private readonly reads: CompleteReads,
    private readonly eventStore: EventStore,
  ) {}

  async execute(query: ListPublicEventsQuery): Promise<PublicEventPage | 'unknown-event' | 'rebuilding'> {
    const { limit } = query;
    const listed = await this.reads.of(paymentsProjection.name, (readStore) => this.entries(readStore, query));
    if (typeof listed === 'string') return listed;
    const items = await Promise.all(listed.slice(0, limit).map((entry) => this.told(entry)));
    return { items, hasMore: listed.length > limit };
  }

  private async entries(
    readStore: ReadStore,
    { merchantId, after, limit }: ListPublicEventsQuery,
  ): Promise<readonly PublicEventEntry[] | 'unknown-event'> {
    let order: string | null = null;
    if (after !== null) {
      const [known] = (await readStore.getMany(publicEventEntries, [after])) as readonly (PublicEventEntry | null)[];
      if (known?.merchantId !== merchantId) return 'unknown-event';
      ({ order } = known);
    }
    const request = { name: publicEventEntries, list: merchantId, direction: 'ascending', after: order } as const;
    const page = await readStore.page({ ...request, limit: limit + 1 });
    return page.map(({ document }) => document as PublicEventEntry);
  }

  /** As its webhook told it: of the payment as it was then. */
  private async told({ source }: PublicEventEntry): Promise<PublicEvent> {
    const recorded = await this.eventStore.readStream(source.streamId, { maxCount: source.revision + 1 });
    const events = recorded.map((event) => readEvent<PaymentEvent>(event, paymentSchemas));
    const payment = events.reduce<Payment | null>((folded, event) => paymentDecider.evolve(folded, event), null);
    const last = events.at(-1);
    const event = last === undefined || payment === null ? null : toPublicEvent(last, payment);
    if (last?.revision !== source.revision || event === null) {
      throw new Error(`${source.streamId}@${source.revision} holds nothing to tell of`);
    }
    return event;
  }
}
