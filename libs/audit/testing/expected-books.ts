import { type EventStore, readEvent, type StoredEvent } from '@app/event-sourcing';
import { accountBooks } from '@app/ledger/testing/account-book';
import { balance, type BalanceDocument, toBalanceBody } from '@app/ledger/read-models/balance';
import { type Currency, formatAmount } from '@app/money';
import { type PaymentEvent, paymentSchemas } from '@app/payments/domain';

/** Every event of the log's payments. */
export async function allPaymentEvents(eventStore: EventStore): Promise<readonly StoredEvent<PaymentEvent>[]> {
  const { events } = await eventStore.readAll({
    after: null,
    filter: { streamPrefixes: ['payment-'] },
    maxCount: 10_000_000,
  });
  return events.map((event) => readEvent<PaymentEvent>(event, paymentSchemas));
}

/** What hledger has to come to, by account: from sums of captures, fees and refunds, without postings. */
export function expectedBooks(events: readonly StoredEvent<PaymentEvent>[]): ReadonlyMap<string, string> {
  const expected = new Map<string, string>();
  for (const [key, { figures }] of accountBooks(events)) {
    const [merchantId = '', currency = ''] = key.split('|');
    const { gatewayReceivable, merchantPayable, refundsPending, feesEarned, chargebacks } = figures;
    const sums = {
      'assets:processor receivable': gatewayReceivable,
      'liabilities:merchant payable': -merchantPayable,
      'liabilities:refunds in flight': -refundsPending,
      'revenues:fee revenue': -feesEarned,
      'assets:chargebacks': -chargebacks,
    };
    for (const [account, sum] of Object.entries(sums)) {
      if (sum === 0n) continue;
      expected.set(`${account}:${merchantId}:${currency}`, `${formatAmount(sum, currency as Currency)} ${currency}`);
    }
  }
  return expected;
}

/** The same from the balances that the service answers with. */
export function answeredBooks(events: readonly StoredEvent<PaymentEvent>[]): ReadonlyMap<string, string> {
  const documents = new Map<string, BalanceDocument | null>();
  for (const event of events) {
    const key = balance.key(event);
    if (key !== null) documents.set(key, balance.evolve(documents.get(key) ?? null, event));
  }
  const answered = new Map<string, string>();
  for (const document of documents.values()) {
    if (document === null) continue;
    const { currency, ...amounts } = toBalanceBody(document);
    const negated = (amount: string) => (amount.startsWith('-') ? amount.slice(1) : `-${amount}`);
    const sums = {
      'assets:processor receivable': amounts.gatewayReceivable,
      'liabilities:merchant payable': negated(amounts.merchantPayable),
      'liabilities:refunds in flight': negated(amounts.refundsPending),
      'revenues:fee revenue': negated(amounts.feesEarned),
      'assets:chargebacks': negated(amounts.chargebacks),
    };
    for (const [account, sum] of Object.entries(sums)) {
      if (/[1-9]/.test(sum)) answered.set(`${account}:${document.merchantId}:${currency}`, `${sum} ${currency}`);
    }
  }
  return answered;
}

/** Beancount's name of an account of hledger's books. */
export function beancountName(account: string): string {
  const [root = '', words = '', merchantId = '', currency = ''] = account.split(':');
  const roots: Readonly<Record<string, string>> = { assets: 'Assets', liabilities: 'Liabilities', revenues: 'Income' };
  const name = words.split(' ').map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return [roots[root], name.join(''), `Merchant-${merchantId.replaceAll('_', '-')}`, currency].join(':');
}
