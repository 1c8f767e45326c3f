import type { ReadStore } from '@app/event-sourcing';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { CompleteReads } from '@app/projections/complete-reads';
import { ONE_PARTITION, Partitions } from '@app/projections/partitions';
import { type DisputePage, GetDisputeQuery, ListDisputesQuery, type ListedDispute } from './dispute-queries';
import { disputeListOf, type DisputeView } from './dispute-view';
import type { DisputeBody } from './documents';
import { isDamaged, type PaymentView } from './payment-view';
import { disputeViews, paymentViews } from './projection';
import { PaymentReader } from './query-handlers';

@QueryHandler(GetDisputeQuery)
export class GetDisputeHandler implements IQueryHandler<GetDisputeQuery> {
  constructor(private readonly reader: PaymentReader) {}

  async execute({ merchantId, disputeId }: GetDisputeQuery): Promise<DisputeBody | null> {
    return this.reader.dispute(merchantId, disputeId);
  }
}

@QueryHandler(ListDisputesQuery)
export class ListDisputesHandler implements IQueryHandler<ListDisputesQuery> {
  constructor(
    private readonly reads: CompleteReads,
    private readonly partitions: Partitions = ONE_PARTITION,
  ) {}

  /** It waits for nothing: no request of a merchant makes a dispute, and a webhook tells of one that is in the model. */
  async execute(query: ListDisputesQuery): Promise<DisputePage | 'rebuilding'> {
    const { projection } = this.partitions.collectionFor(disputeViews, query.merchantId);
    return this.reads.of(projection, (readStore) => this.page(readStore, query));
  }

  private async page(
    readStore: ReadStore,
    { merchantId, filters, after, limit }: ListDisputesQuery,
  ): Promise<DisputePage> {
    const name = this.partitions.collectionFor(disputeViews, merchantId);
    const list = disputeListOf(merchantId, filters);
    const found = await readStore.page({ name, list, direction: 'descending', after, limit: limit + 1 });
    const entries = found.slice(0, limit);
    const disputes = entries.map(({ document }) => (document as DisputeView).body);
    const payments = await readStore.getMany(
      this.partitions.collectionFor(paymentViews, merchantId),
      disputes.map(({ paymentId }) => paymentId),
    );
    const items = disputes.map((dispute, index) => listed(dispute, payments[index] as PaymentView | null | undefined));
    return { items, next: found.length > limit ? (entries.at(-1)?.order ?? null) : null };
  }
}

function listed(dispute: DisputeBody, payment: PaymentView | null | undefined): ListedDispute {
  return payment && isDamaged(payment) ? { ...dispute, status: 'DAMAGED' } : dispute;
}
