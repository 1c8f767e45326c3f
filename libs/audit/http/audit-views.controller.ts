import { ListMerchantsQuery } from '@app/merchants/commands';
import { pageOfMerchants } from '@app/merchants/http/merchant-page';
import type { MerchantItem } from '@app/merchants/http/present-merchant';
import type { PaymentBody } from '@app/payments/read-models/documents';
import { FoldPaymentQuery } from '@app/payments/read-models/queries';
import { ForAuditor } from '@app/platform/http/authentication/access';
import { ApiError } from '@app/platform/http/errors/api-error';
import { type DamagedStreamBody, damagedStreamsPage } from '@app/platform/http/operations/damaged-streams.controller';
import type { PageBody } from '@app/platform/http/pages';
import { PageQuery } from '@app/platform/http/query-parameters';
import { DamagedStreams } from '@app/platform/telemetry';
import { Controller, Get, Header, Param, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';

/** What the service makes of the log, of any merchant. */
@Controller('audit/v1')
export class AuditViewsController {
  constructor(
    private readonly queries: QueryBus,
    private readonly damaged: DamagedStreams,
  ) {}

  @Get('payments/:paymentId')
  @ForAuditor()
  @Header('Cache-Control', 'no-store')
  async payment(
    @Param('paymentId') paymentId: string,
  ): Promise<{ readonly merchantId: string; readonly payment: PaymentBody }> {
    const found = await this.queries.execute(new FoldPaymentQuery(paymentId));
    if (found === null) throw new ApiError('PAYMENT_NOT_FOUND');
    return found;
  }

  @Get('merchants')
  @ForAuditor({ query: PageQuery })
  @Header('Cache-Control', 'no-store')
  async merchants(@Query() page: PageQuery): Promise<PageBody<MerchantItem>> {
    return pageOfMerchants(await this.queries.execute(new ListMerchantsQuery()), page);
  }

  @Get('damaged-streams')
  @ForAuditor({ query: PageQuery })
  @Header('Cache-Control', 'no-store')
  damagedStreams(@Query() page: PageQuery): PageBody<DamagedStreamBody> {
    return damagedStreamsPage(this.damaged, page);
  }
}
