import { Query } from '@nestjs/cqrs';
import type { BalancesBody } from './documents';

/** The merchant's balances, none where nothing was captured; `rebuilding` while the figures would be partial. */
export class GetBalancesQuery extends Query<BalancesBody | 'rebuilding'> {
  constructor(readonly merchantId: string) {
    super();
  }
}
