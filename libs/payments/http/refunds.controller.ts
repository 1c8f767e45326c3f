import { CreateRefundCommand } from '@app/payments/commands/commands';
import { toRefundResource } from '@app/payments/domain';
import type { RefundBody } from '@app/payments/read-models/documents';
import { GetRefundQuery } from '@app/payments/read-models/queries';
import { Body, Controller, Get, Header, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ForMerchant } from '@app/platform/http/authentication/access';
import { CreateRefundDto } from './create-refund.dto';
import { ApiError } from '@app/platform/http/errors/api-error';
import { callerOf, idempotencyKeyOf } from '@app/platform/http/request-state';
import { PRIVATE_FOR_5_SECONDS, valueOf } from '@app/platform/http/outcome-value';

@Controller('api/v2')
export class RefundsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post('payments/:paymentId/refunds')
  @HttpCode(202)
  @ForMerchant({ scope: 'refunds:write', body: CreateRefundDto, writes: true, idempotencyKey: 'required' })
  async create(
    @Param('paymentId') paymentId: string,
    @Body() body: CreateRefundDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReturnType<typeof toRefundResource>> {
    const command = new CreateRefundCommand(callerOf(request), idempotencyKeyOf(request), paymentId, body);
    const refund = valueOf(await this.commands.execute(command), reply);
    reply.header('Location', `/api/v2/refunds/${refund.request.refundId}`);
    return toRefundResource(refund);
  }

  @Get('refunds/:refundId')
  @ForMerchant({ scope: 'payments:read' })
  @Header('Cache-Control', PRIVATE_FOR_5_SECONDS)
  async read(@Param('refundId') refundId: string, @Req() request: FastifyRequest): Promise<RefundBody> {
    const { merchantId } = callerOf(request);
    const refund = await this.queries.execute(new GetRefundQuery(merchantId, refundId));
    if (refund === null) throw new ApiError('REFUND_NOT_FOUND');
    return refund;
  }
}
