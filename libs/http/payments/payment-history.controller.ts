import type { PublicEvent } from '@app/domain/payment';
import type { RefundBody } from '@app/projections';
import { GetPaymentEventsQuery, GetPaymentRefundsQuery } from '@app/projections/payments/history-queries';
import { Controller, Get, Header, Param, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { ForMerchant } from '../authentication/access';
import { ApiError } from '../errors/api-error';
import { callerOf } from '../request-state';
import { PRIVATE_FOR_5_SECONDS } from './outcome';

/** A list in the shape of all lists. These two are always whole: one payment's refunds and events are few. */
interface WholeList<T> {
  readonly items: readonly T[];
  readonly nextCursor: null;
}

/** What belongs to one payment, in the order in which it happened. */
@Controller('api/v2/payments/:paymentId')
export class PaymentHistoryController {
  constructor(private readonly queries: QueryBus) {}

  @Get('refunds')
  @ForMerchant({ scope: 'payments:read' })
  @Header('Cache-Control', PRIVATE_FOR_5_SECONDS)
  async refunds(@Param('paymentId') paymentId: string, @Req() request: FastifyRequest): Promise<WholeList<RefundBody>> {
    return whole(await this.queries.execute(new GetPaymentRefundsQuery(callerOf(request).merchantId, paymentId)));
  }

  @Get('events')
  @ForMerchant({ scope: 'payments:read' })
  @Header('Cache-Control', PRIVATE_FOR_5_SECONDS)
  async events(@Param('paymentId') paymentId: string, @Req() request: FastifyRequest): Promise<WholeList<PublicEvent>> {
    return whole(await this.queries.execute(new GetPaymentEventsQuery(callerOf(request).merchantId, paymentId)));
  }
}

/** @throws ApiError when there is no such payment */
function whole<T>(items: readonly T[] | null): WholeList<T> {
  if (items === null) throw new ApiError('PAYMENT_NOT_FOUND');
  return { items, nextCursor: null };
}
