import type { CollectionName, ReadStore } from '@app/event-sourcing';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { CompleteReads } from '@app/projections/complete-reads';
import { ONE_PARTITION, Partitions } from '@app/projections/partitions';
import { type BalanceDocument, toBalanceBody } from './balance';
import type { BalancesBody } from './documents';
import { balanceList } from './projection';
import { GetBalancesQuery } from './query';

/** Currencies per read; few merchants use more than a handful. */
const PAGE_SIZE = 50;

@QueryHandler(GetBalancesQuery)
export class GetBalancesHandler implements IQueryHandler<GetBalancesQuery> {
  constructor(
    private readonly reads: CompleteReads,
    private readonly partitions: Partitions = ONE_PARTITION,
  ) {}

  async execute({ merchantId }: GetBalancesQuery): Promise<BalancesBody | 'rebuilding'> {
    const name = this.partitions.collectionFor(balanceList, merchantId);
    const documents = await this.reads.of(name.projection, (readStore) => documentsOf(readStore, name, merchantId));
    return documents === 'rebuilding' ? documents : { balances: documents.map(toBalanceBody) };
  }
}

async function documentsOf(
  readStore: ReadStore,
  name: CollectionName,
  merchantId: string,
): Promise<readonly BalanceDocument[]> {
  const list = { name, list: merchantId, direction: 'ascending', limit: PAGE_SIZE } as const;
  const documents: BalanceDocument[] = [];
  for (let after: string | null = null; ;) {
    const page = await readStore.page({ ...list, after });
    documents.push(...page.map(({ document }) => document as BalanceDocument));
    after = page.at(-1)?.order ?? null;
    if (page.length < PAGE_SIZE) return documents;
  }
}
