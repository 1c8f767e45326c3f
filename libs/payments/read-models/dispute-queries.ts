import { Query } from '@nestjs/cqrs';
import type { DisputeFilters } from './dispute-view';
import type { DisputeBody } from './documents';

/** One of the merchant's disputes; null if there is none. */
export class GetDisputeQuery extends Query<DisputeBody | null> {
  constructor(
    readonly merchantId: string,
    readonly disputeId: string,
  ) {
    super();
  }
}

/** A dispute in a list. `DAMAGED`: no other field can be trusted, since the stream of its payment can't. */
export type ListedDispute = Omit<DisputeBody, 'status'> & { readonly status: DisputeBody['status'] | 'DAMAGED' };

export interface DisputePage {
  readonly items: readonly ListedDispute[];
  /** The cursor of the next page; null if there is none. */
  readonly next: string | null;
}

/** A page of the merchant's disputes, newest first. */
export class ListDisputesQuery extends Query<DisputePage | 'rebuilding'> {
  constructor(
    readonly merchantId: string,
    readonly filters: DisputeFilters,
    /** `next` of the previous page, or null for the first page. */
    readonly after: string | null,
    readonly limit: number,
  ) {
    super();
  }
}
