import type { PaymentStatus } from '@app/payments/domain';
import { isoTime } from '@app/event-sourcing';
import type { PaymentBody } from '@app/payments/read-models/documents';
import { ListPaymentsQuery, type PaymentFilters } from '@app/payments/read-models/list-queries';
import { Controller, Get, Header, Query, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { IsIn } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { ForMerchant } from '@app/platform/http/authentication/access';
import { parseTimestampUp } from '@app/platform/http/authentication/timestamp';
import { decodeCursor, encodeCursor } from '@app/platform/http/cursor';
import { Currency } from '@app/platform/http/amount.dto';
import { Optional, Text, UtcTime } from '@app/platform/http/validation/rules';
import { ApiError } from '@app/platform/http/errors/api-error';
import { PRIVATE_FOR_5_SECONDS } from '@app/platform/http/outcome-value';
import type { PageBody } from '@app/platform/http/pages';
import { PageQuery, pageSizeOf } from '@app/platform/http/query-parameters';
import { callerOf } from '@app/platform/http/request-state';

const STATUSES = ['PROCESSING', 'AUTHORIZED', 'COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'] as const;

/** The parameters of `GET /api/v2/payments`; a payment is listed when it fits all that are given. */
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
  @UtcTime()
  createdFrom?: string;

  /** Exclusive. */
  @Optional()
  @UtcTime()
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

/** In one order and one spelling, so that the same filters are the same list. */
function filtersOf({
  status,
  orderId,
  payerId,
  currency,
  createdFrom,
  createdTo,
}: ListPaymentsParameters): PaymentFilters {
  const given = {
    status,
    orderId,
    payerId,
    currency,
    createdFrom: canonicalTime(createdFrom),
    createdTo: canonicalTime(createdTo),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** The last moment whose text has four digits for the year: later ones would stand before all others. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

function canonicalTime(text: string | undefined): string | undefined {
  const ms = text === undefined ? null : parseTimestampUp(text);
  return ms === null ? undefined : isoTime(Math.min(ms, LAST_MS));
}
