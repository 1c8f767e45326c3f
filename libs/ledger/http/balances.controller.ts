import type { BalanceBody } from '@app/ledger/read-models/documents';
import { GetBalancesQuery } from '@app/ledger/read-models/query';
import { Controller, Get, Header, Query, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { ForMerchant } from '@app/platform/http/authentication/access';
import { ApiError } from '@app/platform/http/errors/api-error';
import { PRIVATE_FOR_5_SECONDS } from '@app/platform/http/outcome-value';
import { type PageBody, pageOfAll } from '@app/platform/http/pages';
import { PageQuery } from '@app/platform/http/query-parameters';
import { callerOf } from '@app/platform/http/request-state';

@Controller('api/v2/balances')
export class BalancesController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ForMerchant({ scope: 'payments:read', query: PageQuery })
  @Header('Cache-Control', PRIVATE_FOR_5_SECONDS)
  async read(@Query() page: PageQuery, @Req() request: FastifyRequest): Promise<PageBody<BalanceBody>> {
    const { merchantId } = callerOf(request);
    const balances = await this.queries.execute(new GetBalancesQuery(merchantId));
    if (balances === 'rebuilding') throw new ApiError('READ_MODEL_REBUILDING');
    return pageOfAll(`balances/${merchantId}`, balances.balances, page, ({ currency }) => currency);
  }
}
