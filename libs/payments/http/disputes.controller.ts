import type { DisputeStatus } from '@app/payments/domain';
import { GetDisputeQuery, type ListedDispute, ListDisputesQuery } from '@app/payments/read-models/dispute-queries';
import type { DisputeBody } from '@app/payments/read-models/documents';
import { Controller, Get, Header, Param, Query, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { IsIn } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { ForMerchant } from '@app/platform/http/authentication/access';
import { decodeCursor, encodeCursor } from '@app/platform/http/cursor';
import { Optional, PaymentId } from '@app/platform/http/validation/rules';
import { ApiError } from '@app/platform/http/errors/api-error';
import { PRIVATE_FOR_5_SECONDS } from '@app/platform/http/outcome-value';
import type { PageBody } from '@app/platform/http/pages';
import { PageQuery, pageSizeOf } from '@app/platform/http/query-parameters';
import { callerOf } from '@app/platform/http/request-state';

const STATUSES = ['OPEN', 'WON', 'LOST'] as const satisfies readonly DisputeStatus[];

/** The parameters of `GET /api/v2/disputes`; a dispute must match all that are given. */
export class ListDisputesParameters extends PageQuery {
  @Optional()
  @IsIn(STATUSES)
  status?: DisputeStatus;

  @Optional()
  @PaymentId()
  paymentId?: string;
}

@Controller('api/v2/disputes')
export class DisputesController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ForMerchant({ scope: 'payments:read', query: ListDisputesParameters })
  @Header('Cache-Control', PRIVATE_FOR_5_SECONDS)
  async list(
    @Query() parameters: ListDisputesParameters,
    @Req() request: FastifyRequest,
  ): Promise<PageBody<ListedDispute>> {
    const { merchantId } = callerOf(request);
    const { cursor, status, paymentId } = parameters;
    const filters = { ...(status === undefined ? {} : { status }), ...(paymentId === undefined ? {} : { paymentId }) };
    const list = JSON.stringify(['disputes', merchantId, filters]);
    const after = cursor === undefined ? null : decodeCursor(list, cursor);
    const query = new ListDisputesQuery(merchantId, filters, after, pageSizeOf(parameters));
    const page = await this.queries.execute(query);
    if (page === 'rebuilding') throw new ApiError('READ_MODEL_REBUILDING');
    return { items: page.items, nextCursor: page.next === null ? null : encodeCursor(list, page.next) };
  }

  @Get(':disputeId')
  @ForMerchant({ scope: 'payments:read' })
  @Header('Cache-Control', PRIVATE_FOR_5_SECONDS)
  async read(@Param('disputeId') disputeId: string, @Req() request: FastifyRequest): Promise<DisputeBody> {
    const { merchantId } = callerOf(request);
    const dispute = await this.queries.execute(new GetDisputeQuery(merchantId, disputeId));
    if (dispute === null) throw new ApiError('DISPUTE_NOT_FOUND');
    return dispute;
  }
}
