import type { PaymentStatus } from '@app/payments/domain';
import type { PaymentBody } from '@app/payments/read-models/documents';
import { ListPaymentsQuery, type PaymentFilters } from '@app/payments/read-models/list-queries';
import { Controller, Get, Header, Query, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { IsIn } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { ForMerchant } from '@app/platform/http/authentication/access';
import { decodeCursor, encodeCursor } from '@app/platform/http/cursor';
import { Currency } from '@app/platform/http/amount.dto';
import { DateTime, Optional, Text } from '@app/platform/http/validation/rules';
import { ApiError } from '@app/platform/http/errors/api-error';
import { PRIVATE_FOR_5_SECONDS } from '@app/platform/http/outcome-value';
import type { PageBody } from '@app/platform/http/pages';
import { PageQuery, pageSizeOf } from '@app/platform/http/query-parameters';
import { callerOf } from '@app/platform/http/request-state';
import { timeRangeOf } from '@app/platform/http/times';

const STATUSES = ['PROCESSING', 'AUTHORIZED', 'COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'] as const;

/** The parameters of `GET /api/v2/payments`; a payment must match all that are given. */
export class ListPaymentsParameters extends PageQuery {
  @Optional()
  @IsIn(STATUSES)
  status?: PaymentStatus;

  @Optional()
  @Text({ min: 1, max: 80 })
  orderId?: string;

  @Optional()
  @Text({ min: 1, max: 80 })
  payerId?: string;

  @Optional()
  @Currency()
  currency?: string;

  /** Inclusive. */
  @Optional()
  @DateTime()
  createdFrom?: string;

  /** Exclusive. */
  @Optional()
  @DateTime()
  createdTo?: string;
}

@Controller('api/v2/payments')
export class PaymentListController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ForMerchant({ scope: 'payments:read', query: ListPaymentsParameters })
  @Header('Cache-Control', PRIVATE_FOR_5_SECONDS)
  async list(
    @Query() parameters: ListPaymentsParameters,
    @Req() request: FastifyRequest,
  ): Promise<PageBody<PaymentBody>> {
    const { merchantId } = callerOf(request);
    const { cursor } = parameters;
    const filters = filtersOf(parameters);
    const list = JSON.stringify(['payments', merchantId, filters]);
    const after = cursor === undefined ? null : decodeCursor(list, cursor);
    const query = new ListPaymentsQuery(merchantId, filters, after, pageSizeOf(parameters));
    const page = await this.queries.execute(query);
    if (page === 'rebuilding') throw new ApiError('READ_MODEL_REBUILDING');
    return { items: page.items, nextCursor: page.next === null ? null : encodeCursor(list, page.next) };
  }
}

/** In a fixed order and spelling, so that equal filters give the same list. @throws ApiError */
function filtersOf({ status, orderId, payerId, currency, ...created }: ListPaymentsParameters): PaymentFilters {
  const range = { from: created.createdFrom, to: created.createdTo };
  const { from: createdFrom, to: createdTo } = timeRangeOf(range, { from: 'createdFrom', to: 'createdTo' });
  const given = { status, orderId, payerId, currency, createdFrom, createdTo };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
