import type { ReadStore } from '@app/kernel';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { CompleteReads } from '../complete-reads';
import { type BalanceDocument, toBalanceBody } from './balance';
import type { BalancesBody } from './documents';
import { balanceList, balancesProjection } from './projection';
import { GetBalancesQuery } from './query';

/** Currencies read at once; few merchants take more than a handful. */
const PAGE_SIZE = 50;

@QueryHandler(GetBalancesQuery)
export class GetBalancesHandler implements IQueryHandler<GetBalancesQuery> {
  constructor(private readonly reads: CompleteReads) {}

  async execute({ merchantId }: GetBalancesQuery): Promise<BalancesBody | 'rebuilding'> {
    const documents = await this.reads.of(balancesProjection.name, (readStore) => documentsOf(readStore, merchantId));
    return documents === 'rebuilding' ? documents : { balances: documents.map(toBalanceBody) };
  }
}

async function documentsOf(readStore: ReadStore, merchantId: string): Promise<readonly BalanceDocument[]> {
  const list = { name: balanceList, list: merchantId, direction: 'ascending', limit: PAGE_SIZE } as const;
  const documents: BalanceDocument[] = [];
  for (let after: string | null = null; ;) {
    const page = await readStore.page({ ...list, after });
    documents.push(...page.map(({ document }) => document as BalanceDocument));
    after = page.at(-1)?.order ?? null;
    if (page.length < PAGE_SIZE) return documents;
  }
}
