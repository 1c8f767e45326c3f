import type { PaymentStatus, PublicEvent } from '@app/payments/domain';
import { Query } from '@nestjs/cqrs';
import type { PaymentBody } from './documents';

export interface PaymentFilters {
  readonly status?: PaymentStatus;
  readonly orderId?: string;
  readonly payerId?: string;
  readonly currency?: string;
  /** RFC 3339 UTC with milliseconds, inclusive. */
  readonly createdFrom?: string;
  /** RFC 3339 UTC with milliseconds, exclusive. */
  readonly createdTo?: string;
}

export interface PaymentPage {
  readonly items: readonly PaymentBody[];
  /** The cursor of the next page; null if there is none. */
  readonly next: string | null;
}

/** A page of the merchant's payments, newest first. */
export class ListPaymentsQuery extends Query<PaymentPage | 'rebuilding'> {
  constructor(
    readonly merchantId: string,
    readonly filters: PaymentFilters,
    /** `next` of the previous page, or null for the first page. */
    readonly after: string | null,
    readonly limit: number,
  ) {
    super();
  }
}

export interface PublicEventPage {
  readonly items: readonly PublicEvent[];
  /** The cursor of the next page; null if there is none. */
  readonly next: string | null;
}

/**
 * Where a page of events starts: after the event with this id, at `next` of the previous page, or, if null, at the
 * first event.
 */
export type EventsAfter = { readonly eventId: string } | { readonly next: string } | null;

/** A merchant's public events in the order in which they were stored. */
export class ListPublicEventsQuery extends Query<PublicEventPage | 'unknown-event' | 'rebuilding'> {
  constructor(
    readonly merchantId: string,
    readonly after: EventsAfter,
    readonly limit: number,
  ) {
    super();
  }
}
