import { isMerchantId, merchantDecider, merchantStreamId } from '@app/merchants/domain';
import { CommandHandling } from '@app/event-sourcing';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { MerchantDescription } from './change-settings';

/** The merchant with the settings that hold now, without its secrets and tokens; null for an unknown one. */
export class DescribeMerchantQuery extends Query<MerchantDescription | null> {
  constructor(readonly merchantId: string) {
    super();
  }
}

@QueryHandler(DescribeMerchantQuery)
export class DescribeMerchantHandler implements IQueryHandler<DescribeMerchantQuery> {
  constructor(private readonly handling: CommandHandling) {}

  /** @throws EventStoreUnavailableError */
  async execute({ merchantId }: DescribeMerchantQuery): Promise<MerchantDescription | null> {
    if (!isMerchantId(merchantId)) return null;
    const { state } = await this.handling.load(merchantDecider, merchantStreamId(merchantId));
    if (state === null) return null;
    const { name, registeredAt, settings } = state;
    return { merchantId, name, registeredAt, settings };
  }
}
