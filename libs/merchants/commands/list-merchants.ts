import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { MerchantDirectory } from './directory';
import type { ListedMerchant } from './merchant-index';

/** All merchants, unordered, including damaged ones. */
export class ListMerchantsQuery extends Query<readonly ListedMerchant[]> {}

@QueryHandler(ListMerchantsQuery)
export class ListMerchantsHandler implements IQueryHandler<ListMerchantsQuery> {
  constructor(private readonly directory: MerchantDirectory) {}

  /** @throws EventStoreUnavailableError: some merchants may be missing. */
  async execute(): Promise<readonly ListedMerchant[]> {
    await this.directory.refresh();
    return this.directory.listed();
  }
}
