import type { PublicEvent } from '@app/domain/payment';
import { ListPublicEventsQuery } from '@app/projections/payments/list-queries';
import { Controller, Get, Query, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { ForMerchant } from '../authentication/access';
import { Optional, Text, WholeNumber } from '../dto/rules';
import { ApiError } from '../errors/api-error';
import { callerOf } from '../request-state';

const DEFAULT_PAGE_SIZE = 20;

/** The parameters of `GET /api/v2/events`. */
export class ListPublicEventsParameters {
  /** The `eventId` of the last event that is known; from the first one when absent. */
  @Optional()
  @Text({ min: 1, max: 64 })
  after?: string;

  @Optional()
  @WholeNumber({ min: 1, max: 100, default: DEFAULT_PAGE_SIZE })
  limit?: number;
}

/** All that webhooks have told or will tell, in order: what was missed is recovered here. */
@Controller('api/v2/events')
export class PublicEventsController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ForMerchant({ scope: 'payments:read', query: ListPublicEventsParameters })
  async list(
    @Query() { after, limit = DEFAULT_PAGE_SIZE }: ListPublicEventsParameters,
    @Req() request: FastifyRequest,
  ): Promise<{ items: readonly PublicEvent[]; nextCursor: string | null }> {
    const { merchantId } = callerOf(request);
    const page = await this.queries.execute(new ListPublicEventsQuery(merchantId, after ?? null, limit));
    if (page === 'rebuilding') throw new ApiError('READ_MODEL_REBUILDING');
    if (page === 'unknown-event') throw new ApiError('CURSOR_INVALID');
    return { items: page.items, nextCursor: page.next };
  }
}
