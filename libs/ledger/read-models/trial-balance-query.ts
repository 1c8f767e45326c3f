import { Query } from '@nestjs/cqrs';
import type { TrialBalanceBody } from './documents';

/** The accounts of all merchants together, by currency. */
export class ReadTrialBalanceQuery extends Query<readonly TrialBalanceBody[] | 'rebuilding'> {
  constructor(
    /** RFC 3339 UTC with milliseconds: everything booked up to and including then; null for all there is. */
    readonly asOf: string | null,
  ) {
    super();
  }
}
