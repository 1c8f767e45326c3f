import { Query } from '@nestjs/cqrs';
import type { BalancesBody } from './documents';

/** The merchant's balances, empty if nothing was captured; `rebuilding` while they would be partial. */
export class GetBalancesQuery extends Query<BalancesBody | 'rebuilding'> {
  constructor(readonly merchantId: string) {
    super();
  }
}
