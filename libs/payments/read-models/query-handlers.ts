import {
  Clock,
  type CollectionName,
  DamagedHistoryError,
  EventStore,
  foldDocument,
  isoTime,
  ReadStore,
  ReadStoreUnavailableError,
  type StoredEvent,
} from '@app/event-sourcing';
import { isPaymentId, type PaymentEvent, paymentIdOfRefund } from '@app/payments/domain';
import { Injectable } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { ONE_PARTITION, Partitions } from '@app/projections/partitions';
import { ProjectionProgress } from '@app/projections/progress';
import type { PaymentBody, RefundBody } from './documents';
import { paymentEvents } from './payment-events';
import { isDamaged, type PaymentView, paymentView, shownAt } from './payment-view';
import { paymentViews, refundViews } from './projection';
import { FoldPaymentQuery, GetPaymentQuery, GetPaymentsQuery, GetRefundQuery } from './queries';
import { type RefundView, refundView } from './refund-view';

/**
 * Reads of payments and refunds. What the read model doesn't hold yet (or may hold in an older state, while it is being
 * built or lags far behind) is folded from the stream, so that nothing is missing that a create has returned. While the
 * read store is unavailable, everything is folded from the stream.
 */
@Injectable()
export class PaymentReader {
  constructor(
    readonly eventStore: EventStore,
    readonly clock: Clock,
    private readonly readStore: ReadStore,
    private readonly progress: ProjectionProgress,
    private readonly partitions: Partitions = ONE_PARTITION,
  ) {}

  /** `damaged` if the payment's stream can't be trusted. */
  async payments(
    merchantId: string,
    paymentIds: readonly string[],
  ): Promise<readonly (PaymentBody | 'damaged' | null)[]> {
    const views = await this.stored<PaymentView>(paymentViews, merchantId, paymentIds);
    // Only the log decides that a payment is damaged.
    const known = views.map((view) => (view === null || isDamaged(view) ? null : view));
    const isMissing = (paymentId: string, index: number) => (known[index] ?? null) === null && isPaymentId(paymentId);
    const missing = [...new Set(paymentIds.filter(isMissing))];
    const folded = new Map<string, PaymentView | 'damaged' | null>();
    await Promise.all(
      missing.map(async (paymentId) => folded.set(paymentId, await this.folded(merchantId, paymentId))),
    );
    return paymentIds.map((paymentId, index) => {
      const view = known[index] ?? folded.get(paymentId);
      if (view === 'damaged') return view;
      return view?.merchantId === merchantId ? view.body : null;
    });
  }

  /**
   * A payment that awaits its customer is read from the log, which alone holds the URLs of the next action.
   *
   * @throws DamagedHistoryError
   */
  async payment(merchantId: string, paymentId: string): Promise<PaymentBody | null> {
    const [payment = null] = await this.payments(merchantId, [paymentId]);
    if (payment !== 'damaged' && payment?.nextAction === undefined) return payment;
    const events = await this.events(merchantId, paymentId);
    const view = foldDocument(paymentView, paymentId, events);
    if (view?.merchantId !== merchantId) return null;
    return withLinks(shownAt(view.body, isoTime(this.clock.nowMs())), events[0]);
  }

  /** @throws DamagedHistoryError */
  async refund(merchantId: string, refundId: string): Promise<RefundBody | null> {
    const paymentId = paymentIdOfRefund(refundId);
    if (paymentId === null) return null;
    const [[stored], [payment]] = await Promise.all([
      this.stored<RefundView>(refundViews, merchantId, [refundId]),
      this.stored<PaymentView>(paymentViews, merchantId, [paymentId]),
    ]);
    const isKnown = stored !== undefined && stored !== null && !(payment && isDamaged(payment));
    const view = isKnown ? stored : foldDocument(refundView, refundId, await this.events(merchantId, paymentId));
    return view?.merchantId === merchantId ? view.body : null;
  }

  /** @throws DamagedHistoryError */
  async ofAnyMerchant(
    paymentId: string,
  ): Promise<{ readonly merchantId: string; readonly payment: PaymentBody } | null> {
    const view = foldDocument(paymentView, paymentId, await paymentEvents(this, null, paymentId));
    return view && { merchantId: view.merchantId, payment: shownAt(view.body, isoTime(this.clock.nowMs())) };
  }

  private async stored<D>(
    whole: CollectionName,
    merchantId: string,
    keys: readonly string[],
  ): Promise<readonly (D | null)[]> {
    const name = this.partitions.collectionFor(whole, merchantId);
    if (keys.length === 0 || !this.progress.isCurrent(name.projection)) return [];
    try {
      return (await this.readStore.getMany(name, keys)) as readonly (D | null)[];
    } catch (error) {
      if (!(error instanceof ReadStoreUnavailableError)) throw error;
      return [];
    }
  }

  private async folded(merchantId: string, paymentId: string): Promise<PaymentView | 'damaged' | null> {
    try {
      return foldDocument(paymentView, paymentId, await this.events(merchantId, paymentId));
    } catch (error) {
      if (!(error instanceof DamagedHistoryError)) throw error;
      return 'damaged';
    }
  }

  private events(merchantId: string, paymentId: string) {
    return paymentEvents(this, merchantId, paymentId);
  }
}

/** Adds the customer's redirect URLs, which are kept in the log only. */
function withLinks(payment: PaymentBody, created: StoredEvent<PaymentEvent> | undefined): PaymentBody {
  if (payment.nextAction === undefined || created?.type !== 'PaymentCreated') return payment;
  return { ...payment, nextAction: { ...payment.nextAction, ...created.data.nextAction } };
}

@QueryHandler(GetPaymentQuery)
export class GetPaymentHandler implements IQueryHandler<GetPaymentQuery> {
  constructor(private readonly reader: PaymentReader) {}

  async execute({ merchantId, paymentId }: GetPaymentQuery): Promise<PaymentBody | null> {
    return this.reader.payment(merchantId, paymentId);
  }
}

@QueryHandler(GetPaymentsQuery)
export class GetPaymentsHandler implements IQueryHandler<GetPaymentsQuery> {
  constructor(private readonly reader: PaymentReader) {}

  async execute({ merchantId, paymentIds }: GetPaymentsQuery): Promise<readonly (PaymentBody | 'damaged' | null)[]> {
    return this.reader.payments(merchantId, paymentIds);
  }
}

@QueryHandler(GetRefundQuery)
export class GetRefundHandler implements IQueryHandler<GetRefundQuery> {
  constructor(private readonly reader: PaymentReader) {}

  async execute({ merchantId, refundId }: GetRefundQuery): Promise<RefundBody | null> {
    return this.reader.refund(merchantId, refundId);
  }
}

@QueryHandler(FoldPaymentQuery)
export class FoldPaymentHandler implements IQueryHandler<FoldPaymentQuery> {
  constructor(private readonly reader: PaymentReader) {}

  execute({ paymentId }: FoldPaymentQuery): ReturnType<PaymentReader['ofAnyMerchant']> {
    return this.reader.ofAnyMerchant(paymentId);
  }
}
