import { Query } from '@nestjs/cqrs';
import type { StatementPage } from './documents';

export interface StatementPeriod {
  /** RFC 3339 UTC with milliseconds, inclusive. */
  readonly from?: string | undefined;
  /** Exclusive. */
  readonly to?: string | undefined;
}

/** A page of the merchant's journal in one currency, in its order. */
export class ReadStatementQuery extends Query<StatementPage | 'rebuilding'> {
  constructor(
    readonly merchantId: string,
    readonly currency: string,
    readonly period: StatementPeriod,
    /** `next` of the previous page, or null for the first page. */
    readonly after: string | null,
    readonly limit: number,
  ) {
    super();
  }
}
