import {
  isMerchantId,
  type Merchant,
  merchantDecider,
  type MerchantSettings,
  merchantStreamId,
  type Suspension,
} from '@app/merchants/domain';
import { CommandHandling } from '@app/event-sourcing';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';

/** A merchant without its secrets and tokens. */
export interface MerchantDescription {
  readonly merchantId: string;
  readonly name: string;
  readonly registeredAt: string;
  readonly settings: MerchantSettings;
  readonly suspension: Suspension | null;
}

export function descriptionOf(merchant: Merchant): MerchantDescription {
  const { merchantId, name, registeredAt, settings, suspension } = merchant;
  return { merchantId, name, registeredAt, settings, suspension };
}

/** The merchant with its current settings, without its secrets and tokens; null for an unknown merchant. */
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
    return state === null ? null : descriptionOf(state);
  }
}
