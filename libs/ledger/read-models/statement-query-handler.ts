import type { CollectionName, ListedDocument, ReadStore } from '@app/event-sourcing';
import { type Balances, journalKey, NO_BALANCES, subjectOf, sumOf } from '@app/ledger/domain';
import { publicEventId } from '@app/payments/domain';
import { CompleteReads } from '@app/projections/complete-reads';
import { ONE_PARTITION, Partitions } from '@app/projections/partitions';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { toSumsBody } from './balance';
import type { StatementEntryBody, StatementPage } from './documents';
import type { JournalEntryDocument } from './journal-entry';
import { journalEntryList } from './projection';
import { ReadStatementQuery } from './statement-query';
import { balancesOf } from './stored-sums';

/** Follows an entry's order in its list, and precedes that of the next entry. */
const BEHIND = '!';

@QueryHandler(ReadStatementQuery)
export class ReadStatementHandler implements IQueryHandler<ReadStatementQuery> {
  constructor(
    private readonly reads: CompleteReads,
    private readonly partitions: Partitions = ONE_PARTITION,
  ) {}

  async execute(query: ReadStatementQuery): Promise<StatementPage | 'rebuilding'> {
    const name = this.partitions.collectionFor(journalEntryList, query.merchantId);
    return this.reads.of(name.projection, (readStore) => statementPage(readStore, name, query));
  }
}

async function statementPage(
  readStore: ReadStore,
  name: CollectionName,
  query: ReadStatementQuery,
): Promise<StatementPage> {
  const { currency, period, after, limit } = query;
  const start = after === null ? (period.from ?? null) : after + BEHIND;
  const part = { name, list: journalKey(query), direction: 'ascending', after: start, limit: limit + 1 } as const;
  const found = await readStore.page({ ...part, until: period.to ?? null });
  const entries = found.slice(0, limit).map(entryIn);
  const [first] = entries;
  const opening = first === undefined ? await balancesBefore(readStore, name, query, start) : before(first);
  const last = entries.at(-1);
  return {
    currency,
    opening: toSumsBody(opening, currency),
    items: entries.map(toEntryBody),
    closing: toSumsBody(last === undefined ? opening : balancesOf(last.sums), currency),
    next: found.length > limit ? (found[limit - 1]?.order ?? null) : null,
  };
}

/** Of a part without entries. */
async function balancesBefore(
  readStore: ReadStore,
  name: CollectionName,
  journal: ReadStatementQuery,
  start: string | null,
): Promise<Balances> {
  // Nothing precedes the beginning of the journal.
  if (start === null) return NO_BALANCES;
  const list = { name, list: journalKey(journal), direction: 'descending', limit: 1 } as const;
  const [last] = await readStore.page({ ...list, after: start });
  return last === undefined ? NO_BALANCES : balancesOf(entryIn(last).sums);
}

function before({ sums, change }: JournalEntryDocument): Balances {
  const negative = Object.entries(balancesOf(change)).map(([account, amountMinor]) => [account, -amountMinor]);
  return sumOf(balancesOf(sums), Object.fromEntries(negative) as Balances);
}

function toEntryBody({ number, bookedAt, event, change, sums, currency }: JournalEntryDocument): StatementEntryBody {
  const { paymentId, transactionId, refundId, disputeId } = event;
  return {
    number,
    time: bookedAt,
    type: subjectOf(event),
    eventId: publicEventId(event.id),
    paymentId,
    ...(transactionId === null ? {} : { transactionId }),
    ...(refundId === null ? {} : { refundId }),
    ...(disputeId === null ? {} : { disputeId }),
    change: toSumsBody(balancesOf(change), currency),
    balance: toSumsBody(balancesOf(sums), currency),
  };
}

function entryIn({ document }: ListedDocument): JournalEntryDocument {
  return document as JournalEntryDocument;
}
