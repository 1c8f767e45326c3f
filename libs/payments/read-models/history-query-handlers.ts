import { Clock, EventStore, foldDocument, type StoredEvent } from '@app/event-sourcing';
import {
  type Payment,
  paymentDecider,
  type PaymentEvent,
  type PublicEvent,
  publicEventsOf,
  publicEventType,
  refundsOf,
  toRefundResource,
} from '@app/payments/domain';
import { Injectable } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import type { PaymentBody, RefundBody } from './documents';
import {
  GetPaymentAtQuery,
  GetPaymentEventsQuery,
  GetPaymentRefundsQuery,
  type HistoryPage,
  type PageOf,
} from './history-queries';
import { paymentEvents } from './payment-events';
import { paymentView } from './payment-view';

/**
 * Answers queries about a payment's past, folded from its own stream: nothing that an earlier response showed is
 * missing, however far the read models lag.
 */
@Injectable()
export class PaymentHistory {
  constructor(
    readonly eventStore: EventStore,
    readonly clock: Clock,
  ) {}

  /** The payment as reads show it right after the event with this revision. */
  async paymentAt(merchantId: string, paymentId: string, revision: number): Promise<PaymentBody | null> {
    const events = await paymentEvents(this, merchantId, paymentId, { lastRevision: revision });
    const view = foldDocument(paymentView, paymentId, events);
    return view?.merchantId === merchantId ? view.body : null;
  }

  /** A refund's number among its payment's refunds never changes, so it serves as the cursor. */
  async refunds(merchantId: string, paymentId: string, page: PageOf): Promise<HistoryPage<RefundBody> | null> {
    let payment: Payment | null = null;
    for (const event of await paymentEvents(this, merchantId, paymentId))
      payment = paymentDecider.evolve(payment, event);
    if (payment?.created.merchantId !== merchantId) return null;
    const placed = [...refundsOf(payment).entries()];
    const { entries, next } = pageOf(placed, page);
    return { items: entries.map(([, refund]) => toRefundResource(refund, refund)), next };
  }

  /** Each event shows the payment as it was then, like its webhook. A page folds the stream only as far as needed. */
  async publicEvents(merchantId: string, paymentId: string, page: PageOf): Promise<HistoryPage<PublicEvent> | null> {
    const after = Number(page.after ?? -1);
    let wanted = page.limit + 1;
    const isEnough = (event: StoredEvent<PaymentEvent>) =>
      event.revision > after && publicEventType(event) !== null && --wanted === 0;
    const events = await paymentEvents(this, merchantId, paymentId, { isEnough });
    const [first] = events;
    if (first?.type !== 'PaymentCreated' || first.data.merchantId !== merchantId) return null;
    const { entries, next } = pageOf([...publicEventsOf(events, (revision) => revision > after)], page);
    return { items: entries.map(([, event]) => event), next };
  }
}

/** The first entries after number `after`, each paired with its number. */
function pageOf<T>(
  entries: readonly (readonly [number, T])[],
  { after, limit }: PageOf,
): { readonly entries: readonly (readonly [number, T])[]; readonly next: string | null } {
  const rest = entries.filter(([number]) => number > Number(after ?? -1));
  const page = rest.slice(0, limit);
  return { entries: page, next: rest.length > limit ? String(page.at(-1)?.[0]) : null };
}

@QueryHandler(GetPaymentAtQuery)
export class GetPaymentAtHandler implements IQueryHandler<GetPaymentAtQuery> {
  constructor(private readonly history: PaymentHistory) {}

  execute({ merchantId, paymentId, revision }: GetPaymentAtQuery): Promise<PaymentBody | null> {
    return this.history.paymentAt(merchantId, paymentId, revision);
  }
}

@QueryHandler(GetPaymentRefundsQuery)
export class GetPaymentRefundsHandler implements IQueryHandler<GetPaymentRefundsQuery> {
  constructor(private readonly history: PaymentHistory) {}

  execute({ merchantId, paymentId, page }: GetPaymentRefundsQuery): Promise<HistoryPage<RefundBody> | null> {
    return this.history.refunds(merchantId, paymentId, page);
  }
}

@QueryHandler(GetPaymentEventsQuery)
export class GetPaymentEventsHandler implements IQueryHandler<GetPaymentEventsQuery> {
  constructor(private readonly history: PaymentHistory) {}

  execute({ merchantId, paymentId, page }: GetPaymentEventsQuery): Promise<HistoryPage<PublicEvent> | null> {
    return this.history.publicEvents(merchantId, paymentId, page);
  }
}
