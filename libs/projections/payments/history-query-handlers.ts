import { EventStore, foldDocument } from '@app/kernel';
import {
  type Payment,
  paymentDecider,
  type PublicEvent,
  publicEventsOf,
  refundsOf,
  toRefundResource,
} from '@app/domain/payment';
import { Injectable } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import type { PaymentBody, RefundBody } from './documents';
import { GetPaymentAtQuery, GetPaymentEventsQuery, GetPaymentRefundsQuery } from './history-queries';
import { paymentEvents } from './payment-events';
import { paymentView } from './payment-view';

/**
 * Answers about a payment's past, folded from its own stream: nothing that was answered before is ever missing, however
 * far behind the read models are.
 */
@Injectable()
export class PaymentHistory {
  constructor(private readonly eventStore: EventStore) {}

  /** The payment as reads showed it, or would have, right after the event with this revision. */
  async paymentAt(merchantId: string, paymentId: string, revision: number): Promise<PaymentBody | null> {
    const view = foldDocument(paymentView, paymentId, await this.events(merchantId, paymentId, revision + 1));
    return view?.merchantId === merchantId ? view.body : null;
  }

  async refunds(merchantId: string, paymentId: string): Promise<readonly RefundBody[] | null> {
    let payment: Payment | null = null;
    for (const event of await this.events(merchantId, paymentId)) payment = paymentDecider.evolve(payment, event);
    if (payment?.created.merchantId !== merchantId) return null;
    return refundsOf(payment).map((refund) => toRefundResource(refund.request, refund));
  }

  /** Each event tells of the payment as it was then, as its webhook did. */
  async publicEvents(merchantId: string, paymentId: string): Promise<readonly PublicEvent[] | null> {
    const events = await this.events(merchantId, paymentId);
    const [first] = events;
    if (first?.type !== 'PaymentCreated' || first.data.merchantId !== merchantId) return null;
    return [...publicEventsOf(events).values()];
  }

  private events(merchantId: string, paymentId: string, maxCount?: number) {
    return paymentEvents(this.eventStore, merchantId, paymentId, maxCount);
  }
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

  execute({ merchantId, paymentId }: GetPaymentRefundsQuery): Promise<readonly RefundBody[] | null> {
    return this.history.refunds(merchantId, paymentId);
  }
}

@QueryHandler(GetPaymentEventsQuery)
export class GetPaymentEventsHandler implements IQueryHandler<GetPaymentEventsQuery> {
  constructor(private readonly history: PaymentHistory) {}

  execute({ merchantId, paymentId }: GetPaymentEventsQuery): Promise<readonly PublicEvent[] | null> {
    return this.history.publicEvents(merchantId, paymentId);
  }
}
