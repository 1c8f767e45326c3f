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
  /** Where the page after this one begins; null when there is none. */
  readonly next: string | null;
}

/** A page of the merchant's payments, newest first. */
export class ListPaymentsQuery extends Query<PaymentPage | 'rebuilding'> {
  constructor(
    readonly merchantId: string,
    readonly filters: PaymentFilters,
    /** `next` of the page before, or null for the first one. */
    readonly after: string | null,
    readonly limit: number,
  ) {
    super();
  }
}

export interface PublicEventPage {
  readonly items: readonly PublicEvent[];
  /** Where the page after this one begins; null when there is none. */
  readonly next: string | null;
}

/** Where a page of events begins: behind the event with this id, at `next` of the page before, or, null, with the first one. */
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
