import type { PublicEvent } from '@app/payments/domain';
import type { RefundBody } from '@app/payments/read-models/documents';
import {
  GetPaymentEventsQuery,
  GetPaymentRefundsQuery,
  type HistoryPage,
  type PageOf,
} from '@app/payments/read-models/history-queries';
import { Controller, Get, Header, Param, Query, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { ForMerchant } from '@app/platform/http/authentication/access';
import { decodeCursor, encodeCursor } from '@app/platform/http/cursor';
import { ApiError } from '@app/platform/http/errors/api-error';
import type { PageBody } from '@app/platform/http/pages';
import { PageQuery, pageSizeOf } from '@app/platform/http/query-parameters';
import { callerOf } from '@app/platform/http/request-state';
import { PRIVATE_FOR_5_SECONDS } from '@app/platform/http/outcome-value';

/** The lists that belong to one payment, in chronological order. */
@Controller('api/v2/payments/:paymentId')
export class PaymentHistoryController {
  constructor(private readonly queries: QueryBus) {}

  @Get('refunds')
  @ForMerchant({ scope: 'payments:read', query: PageQuery })
  @Header('Cache-Control', PRIVATE_FOR_5_SECONDS)
  refunds(
    @Param('paymentId') paymentId: string,
    @Query() page: PageQuery,
    @Req() request: FastifyRequest,
  ): Promise<PageBody<RefundBody>> {
    const { merchantId } = callerOf(request);
    return pageBody(`refunds/${paymentId}`, page, (wanted) =>
      this.queries.execute(new GetPaymentRefundsQuery(merchantId, paymentId, wanted)),
    );
  }

  @Get('events')
  @ForMerchant({ scope: 'payments:read', query: PageQuery })
  @Header('Cache-Control', PRIVATE_FOR_5_SECONDS)
  events(
    @Param('paymentId') paymentId: string,
    @Query() page: PageQuery,
    @Req() request: FastifyRequest,
  ): Promise<PageBody<PublicEvent>> {
    const { merchantId } = callerOf(request);
    return pageBody(`events/${paymentId}`, page, (wanted) =>
      this.queries.execute(new GetPaymentEventsQuery(merchantId, paymentId, wanted)),
    );
  }
}

/** @throws ApiError if there is no such payment, or with CURSOR_INVALID */
async function pageBody<T>(
  list: string,
  page: PageQuery,
  read: (wanted: PageOf) => Promise<HistoryPage<T> | null>,
): Promise<PageBody<T>> {
  const after = page.cursor === undefined ? null : decodeCursor(list, page.cursor);
  const found = await read({ after, limit: pageSizeOf(page) });
  if (found === null) throw new ApiError('PAYMENT_NOT_FOUND');
  return { items: found.items, nextCursor: found.next === null ? null : encodeCursor(list, found.next) };
}
