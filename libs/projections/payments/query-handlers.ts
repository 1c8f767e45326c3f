import {
  type CollectionName,
  EventStore,
  foldDocument,
  readEvent,
  ReadStore,
  ReadStoreUnavailableError,
  type StoredEvent,
} from '@app/kernel';
import {
  isPaymentId,
  paymentIdOfRefund,
  paymentSchemas,
  paymentStreamId,
  type PaymentEvent,
} from '@app/domain/payment';
import { Injectable } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { ONE_PARTITION, Partitions } from '../partitions';
import { ProjectionProgress } from '../progress';
import type { PaymentBody, RefundBody } from './documents';
import { type PaymentView, paymentView } from './payment-view';
import { paymentViews, refundViews } from './projection';
import { GetPaymentQuery, GetPaymentsQuery, GetRefundQuery } from './queries';
import { type RefundView, refundView } from './refund-view';

/**
 * Reads of payments and refunds. What the read model doesn't hold yet (or, while it is being built or far behind, may hold in an
 * older state) is folded from the stream, so that what a create was answered with is never missing; so is everything while the read
 * store is away.
 */
@Injectable()
export class PaymentReader {
  constructor(
    private readonly eventStore: EventStore,
    private readonly readStore: ReadStore,
    private readonly progress: ProjectionProgress,
    private readonly partitions: Partitions = ONE_PARTITION,
  ) {}

  async payments(merchantId: string, paymentIds: readonly string[]): Promise<readonly (PaymentBody | null)[]> {
    const views = await this.stored<PaymentView>(paymentViews, merchantId, paymentIds);
    const isMissing = (paymentId: string, index: number) => (views[index] ?? null) === null && isPaymentId(paymentId);
    const missing = [...new Set(paymentIds.filter(isMissing))];
    const folded = new Map<string, PaymentView | null>();
    await Promise.all(missing.map(async (paymentId) => folded.set(paymentId, await this.folded(paymentId))));
    return paymentIds.map((paymentId, index) => {
      const view = views[index] ?? folded.get(paymentId);
      return view?.merchantId === merchantId ? view.body : null;
    });
  }

  async refund(merchantId: string, refundId: string): Promise<RefundBody | null> {
    const paymentId = paymentIdOfRefund(refundId);
    if (paymentId === null) return null;
    const [stored] = await this.stored<RefundView>(refundViews, merchantId, [refundId]);
    const view = stored ?? foldDocument(refundView, refundId, await this.events(paymentId));
    return view?.merchantId === merchantId ? view.body : null;
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

  private async folded(paymentId: string): Promise<PaymentView | null> {
    return foldDocument(paymentView, paymentId, await this.events(paymentId));
  }

  private async events(paymentId: string): Promise<readonly StoredEvent<PaymentEvent>[]> {
    const recorded = await this.eventStore.readStream(paymentStreamId(paymentId));
    return recorded.map((event) => readEvent<PaymentEvent>(event, paymentSchemas));
  }
}

@QueryHandler(GetPaymentQuery)
export class GetPaymentHandler implements IQueryHandler<GetPaymentQuery> {
  constructor(private readonly reader: PaymentReader) {}

  async execute({ merchantId, paymentId }: GetPaymentQuery): Promise<PaymentBody | null> {
    const [payment] = await this.reader.payments(merchantId, [paymentId]);
    return payment ?? null;
  }
}

@QueryHandler(GetPaymentsQuery)
export class GetPaymentsHandler implements IQueryHandler<GetPaymentsQuery> {
  constructor(private readonly reader: PaymentReader) {}

  async execute({ merchantId, paymentIds }: GetPaymentsQuery): Promise<readonly (PaymentBody | null)[]> {
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
