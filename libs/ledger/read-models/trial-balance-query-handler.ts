import type { CollectionName, ReadStore } from '@app/event-sourcing';
import { ACCOUNTS, type Balances, journalKey, NO_BALANCES, sumOf } from '@app/ledger/domain';
import { type Currency, formatAmount } from '@app/money';
import { CompleteReads } from '@app/projections/complete-reads';
import { ONE_PARTITION, Partitions } from '@app/projections/partitions';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { ALL_BALANCES, type BalanceDocument } from './balance';
import type { TrialBalanceBody } from './documents';
import type { JournalEntryDocument } from './journal-entry';
import { balanceList, journalEntryList } from './projection';
import { ReadTrialBalanceQuery } from './trial-balance-query';
import { balancesOf } from './stored-sums';

/** Balances read at once, and then each as of a time. */
const PAGE_SIZE = 50;
/** Follows every entry's order of the same time. */
const BEHIND = '~';

@QueryHandler(ReadTrialBalanceQuery)
export class ReadTrialBalanceHandler implements IQueryHandler<ReadTrialBalanceQuery> {
  constructor(
    private readonly reads: CompleteReads,
    private readonly partitions: Partitions = ONE_PARTITION,
  ) {}

  async execute({ asOf }: ReadTrialBalanceQuery): Promise<readonly TrialBalanceBody[] | 'rebuilding'> {
    const totals = new Map<string, Balances>();
    for (const name of this.partitions.collections(balanceList)) {
      const part = await this.reads.of(name.projection, (readStore) => partTotals(readStore, name, asOf));
      if (part === 'rebuilding') return part;
      for (const [currency, balances] of part) addTo(totals, currency, balances);
    }
    return [...totals].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(toTrialBalanceBody);
  }
}

async function partTotals(
  readStore: ReadStore,
  name: CollectionName,
  asOf: string | null,
): Promise<Map<string, Balances>> {
  const totals = new Map<string, Balances>();
  const list = { name, list: ALL_BALANCES, direction: 'ascending', limit: PAGE_SIZE } as const;
  for (let after: string | null = null; ;) {
    const page = await readStore.page({ ...list, after });
    const documents = page.map(({ document }) => document as BalanceDocument);
    const balances = await Promise.all(
      documents.map(async (document) =>
        asOf === null ? balancesOf(document.sums) : balancesAt(readStore, name, document, asOf),
      ),
    );
    documents.forEach(({ currency }, index) => addTo(totals, currency, balances[index] ?? NO_BALANCES));
    after = page.at(-1)?.order ?? null;
    if (page.length < PAGE_SIZE) return totals;
  }
}

/** Of the last entry up to then. */
async function balancesAt(
  readStore: ReadStore,
  { projection }: CollectionName,
  journal: BalanceDocument,
  asOf: string,
): Promise<Balances> {
  const name = { ...journalEntryList, projection };
  const list = { name, list: journalKey(journal), direction: 'descending', limit: 1 } as const;
  const [last] = await readStore.page({ ...list, after: asOf + BEHIND });
  return last === undefined ? NO_BALANCES : balancesOf((last.document as JournalEntryDocument).sums);
}

function addTo(totals: Map<string, Balances>, currency: string, balances: Balances): void {
  totals.set(currency, sumOf(totals.get(currency) ?? NO_BALANCES, balances));
}

function toTrialBalanceBody([currency, balances]: readonly [string, Balances]): TrialBalanceBody {
  const shown = (amountMinor: bigint) => formatAmount(amountMinor > 0n ? amountMinor : 0n, currency as Currency);
  const total = (side: bigint) => {
    return ACCOUNTS.map((account) => side * balances[account]).reduce(
      (sum, each) => (each > 0n ? sum + each : sum),
      0n,
    );
  };
  return {
    currency,
    accounts: ACCOUNTS.map((account) => {
      return { account, debit: shown(balances[account]), credit: shown(-balances[account]) };
    }),
    totalDebit: shown(total(1n)),
    totalCredit: shown(total(-1n)),
  };
}
