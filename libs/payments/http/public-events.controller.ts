import type { PublicEvent } from '@app/payments/domain';
import { ListPublicEventsQuery } from '@app/payments/read-models/list-queries';
import { Controller, Get, Query, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { ForMerchant } from '@app/platform/http/authentication/access';
import { decodeCursor, encodeCursor } from '@app/platform/http/cursor';
import { Optional, Text } from '@app/platform/http/validation/rules';
import { ApiError } from '@app/platform/http/errors/api-error';
import type { PageBody } from '@app/platform/http/pages';
import { PageQuery, pageSizeOf } from '@app/platform/http/query-parameters';
import { callerOf } from '@app/platform/http/request-state';

/** The parameters of `GET /api/v2/events`. `after` is ignored with a cursor, which already says where to continue. */
export class ListPublicEventsParameters extends PageQuery {
  /** The `eventId` of the last known event; absent starts with the first one. */
  @Optional()
  @Text({ min: 1, max: 64 })
  after?: string;
}

/** All events that webhooks have sent or will send, in order, so that merchants can recover missed ones. */
@Controller('api/v2/events')
export class PublicEventsController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ForMerchant({ scope: 'payments:read', query: ListPublicEventsParameters })
  async list(
    @Query() parameters: ListPublicEventsParameters,
    @Req() request: FastifyRequest,
  ): Promise<PageBody<PublicEvent>> {
    const { merchantId } = callerOf(request);
    const list = `events/${merchantId}`;
    const { after, cursor } = parameters;
    const known = after === undefined ? null : { eventId: after };
    const begin = cursor === undefined ? known : { next: decodeCursor(list, cursor) };
    const page = await this.queries.execute(new ListPublicEventsQuery(merchantId, begin, pageSizeOf(parameters)));
    if (page === 'rebuilding') throw new ApiError('READ_MODEL_REBUILDING');
    if (page === 'unknown-event') throw new ApiError('CURSOR_INVALID');
    return { items: page.items, nextCursor: page.next === null ? null : encodeCursor(list, page.next) };
  }
}
