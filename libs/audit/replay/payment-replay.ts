import type { Damage, Document, StoredEvent } from '@app/event-sourcing';
import { type Payment, paymentDecider, type PaymentEvent, paymentStreamId } from '@app/payments/domain';
import { paymentsToProcess } from '@app/payments/read-models/payments-to-process';
import { paymentView } from '@app/payments/read-models/payment-view';
import { refundView } from '@app/payments/read-models/refund-view';
import { differencesOf, type FieldDifference, type Plain, plain } from '@app/audit/plain';
import type { AsOf } from './as-of';
import { type AuditedStores, auditedHistory } from './read-history';

/** One event of a payment, and what the service believes after it. */
export interface ReplayedEvent {
  readonly event: StoredEvent<PaymentEvent>;
  /** What the event says, without the links by which a customer acts. */
  readonly says: Plain;
  readonly after: PaymentState;
  /** What differs from the state before. */
  readonly changes: readonly FieldDifference[];
}

export interface PaymentState {
  /** As commands are decided on. */
  readonly decided: Plain;
  /** As read models show it: the payment, its refunds by id, and what is still to be done at the gateway. */
  readonly shown: { readonly payment: Plain; readonly refunds: Plain; readonly toProcess: Plain };
}

export interface PaymentReplay {
  readonly streamId: string;
  readonly events: readonly ReplayedEvent[];
  /** Where the stream can no longer be believed; null if all of it can. */
  readonly damage: Damage | null;
}

const NOTHING: PaymentState = { decided: null, shown: { payment: null, refunds: {}, toProcess: {} } };

/** Anyone with one of these can act as the customer. */
const LINKS: ReadonlySet<string> = new Set(['redirectUrl', 'fallbackUrl']);

/**
 * Replays a payment by the folds of the service itself.
 *
 * @throws EventStoreUnavailableError
 */
export async function replayPayment(stores: AuditedStores, paymentId: string, asOf: AsOf): Promise<PaymentReplay> {
  const streamId = paymentStreamId(paymentId);
  const { schemas } = paymentDecider;
  const { events, damage } = await auditedHistory<PaymentEvent>(stores, streamId, schemas, asOf);
  const fold = new PaymentFold();
  return { streamId, events: events.map((event) => fold.take(event)), damage };
}

class PaymentFold {
  private payment: Payment | null = paymentDecider.initialState;
  private view: Document | null = null;
  private readonly refunds = new Map<string, Document | null>();
  private readonly toProcess = new Map<string, Document | null>();
  private state: PaymentState = NOTHING;

  take(event: StoredEvent<PaymentEvent>): ReplayedEvent {
    this.payment = paymentDecider.evolve(this.payment, event);
    this.view = paymentView.evolve(this.view as never, event);
    for (const [documents, collection] of [
      [this.refunds, refundView],
      [this.toProcess, paymentsToProcess],
    ] as const) {
      const key = collection.key(event);
      if (key !== null) documents.set(key, collection.evolve((documents.get(key) ?? null) as never, event));
    }
    const before = this.state;
    const after = this.look();
    this.state = after;
    const changes = differencesOf(plain(before), plain(after));
    return { event, says: plain(withoutLinks(event.data)), after, changes };
  }

  private look(): PaymentState {
    const shown = { payment: plain(this.view), refunds: present(this.refunds), toProcess: present(this.toProcess) };
    return { decided: plain(withoutLinks(this.payment)), shown };
  }
}

function present(documents: ReadonlyMap<string, Document | null>): Plain {
  return plain(Object.fromEntries([...documents].filter(([, document]) => document !== null)));
}

function withoutLinks(value: unknown): unknown {
  if (value instanceof Map) return new Map([...value].map(([key, each]) => [key, withoutLinks(each)]));
  if (Array.isArray(value)) return value.map(withoutLinks);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, LINKS.has(name) ? '(not shown)' : withoutLinks(each)]),
  );
}
