import {
  AssertionFailedError,
  type Damage,
  DamagedHistoryError,
  readEvent,
  type RecordedEvent,
  type StoredEvent,
} from '@app/event-sourcing';
import { balance, type BalanceDocument } from '@app/ledger/read-models/balance';
import { PAYMENT_STREAM_PREFIX, type PaymentCreated, type PaymentEvent, paymentSchemas } from '@app/payments/domain';
import type { AsOf } from './as-of';
import { type AuditedStores, auditedHistory } from './read-history';

export interface AuditedBalances {
  /** By currency, in alphabetical order. */
  readonly balances: readonly BalanceDocument[];
  /** The payments that the merchant had created until then. */
  readonly payments: number;
  /** The events that moved money. */
  readonly postings: number;
  /** Where a stream of the merchant's can no longer be believed: nothing behind that is in the balances. */
  readonly damages: readonly Damage[];
}

const PAGE_EVENTS = 500;

/**
 * A merchant's balances, folded from the streams of their payments, each of which is checked as commands check it.
 * Memory grows with the merchant's currencies only.
 *
 * @throws EventStoreUnavailableError
 */
export async function balancesAsOf(stores: AuditedStores, merchantId: string, asOf: AsOf): Promise<AuditedBalances> {
  const sums = new Map<string, BalanceDocument>();
  const damages: Damage[] = [];
  const counted = { payments: 0, postings: 0 };
  for await (const created of createdPayments(stores, asOf)) {
    const owner = ownerOf(created);
    if (owner instanceof DamagedHistoryError) {
      damages.push(damageOf(owner));
      continue;
    }
    if (owner !== merchantId) continue;
    const { events, damage } = await auditedHistory<PaymentEvent>(stores, created.streamId, paymentSchemas, asOf);
    if (events.length > 0) counted.payments += 1;
    const refused = post(sums, events, () => (counted.postings += 1));
    if (refused !== null) damages.push(refused);
    else if (damage !== null) damages.push(damage);
  }
  const balances = [...sums.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1));
  return { balances, ...counted, damages };
}

/** The first event of every payment in the log. */
async function* createdPayments({ eventStore }: AuditedStores, asOf: AsOf): AsyncIterable<RecordedEvent> {
  const filter = { streamPrefixes: [PAYMENT_STREAM_PREFIX], types: ['PaymentCreated'] };
  for (let after: bigint | null = null; ;) {
    const page = await eventStore.readAll({ after, filter, maxCount: PAGE_EVENTS });
    for (const event of page.events) {
      if (asOf.kind === 'position' && event.position > asOf.position) return;
      if (event.revision === 0) yield event;
    }
    if (page.caughtUp) return;
    after = page.position;
  }
}

/** The damage if the event cannot be read: it may be any merchant's. */
function ownerOf(created: RecordedEvent): string | DamagedHistoryError {
  try {
    return readEvent<PaymentCreated>(created, paymentSchemas).data.merchantId;
  } catch (error) {
    if (error instanceof DamagedHistoryError) return error;
    throw error;
  }
}

/** Posts the events up to one that does not balance, which is returned. */
function post(
  sums: Map<string, BalanceDocument>,
  events: readonly StoredEvent<PaymentEvent>[],
  count: () => void,
): Damage | null {
  for (const event of events) {
    try {
      const key = balance.key(event);
      if (key === null) continue;
      const after = balance.evolve(sums.get(key) ?? null, event);
      if (after !== null) sums.set(key, after);
      count();
    } catch (error) {
      if (!(error instanceof AssertionFailedError)) throw error;
      return { streamId: event.streamId, revision: event.revision, kind: 'BROKEN', reason: error.message };
    }
  }
  return null;
}

function damageOf({ streamId, revision, kind, reason }: Damage): Damage {
  return { streamId, revision, kind, reason };
}
