import { CreatePaymentCommand } from '@app/payments/commands/commands';
import type { PaymentBody } from '@app/payments/read-models/documents';
import { GetPaymentQuery, GetPaymentsQuery } from '@app/payments/read-models/queries';
import { Body, Controller, Get, Header, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ForMerchant } from '@app/platform/http/authentication/access';
import { BatchQueryDto } from './batch-query.dto';
import { CreatePaymentDto } from './create-payment.dto';
import { ApiError } from '@app/platform/http/errors/api-error';
import { callerOf, idempotencyKeyOf } from '@app/platform/http/request-state';
import { PRIVATE_FOR_5_SECONDS, valueOf } from '@app/platform/http/outcome-value';
import { batchText, presentCreatedPayment } from './presenters';

@Controller('api/v2/payments')
export class PaymentsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @ForMerchant({
    scope: 'payments:write',
    body: CreatePaymentDto,
    writes: true,
    signed: true,
    idempotencyKey: 'required',
  })
  async create(
    @Body() body: CreatePaymentDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReturnType<typeof presentCreatedPayment>> {
    const command = new CreatePaymentCommand(callerOf(request), idempotencyKeyOf(request), body);
    const payment = presentCreatedPayment(valueOf(await this.commands.execute(command), reply));
    reply
      .header('Location', `/api/v2/payments/${payment.paymentId}`)
      .header('X-Transaction-ID', payment.transactionId)
      .header('X-Processing-Time', String(request.state?.elapsedMs() ?? 0));
    return payment;
  }

  @Get(':paymentId')
  @ForMerchant({ scope: 'payments:read' })
  @Header('Cache-Control', PRIVATE_FOR_5_SECONDS)
  async read(@Param('paymentId') paymentId: string, @Req() request: FastifyRequest): Promise<PaymentBody> {
    const { merchantId } = callerOf(request);
    const payment = await this.queries.execute(new GetPaymentQuery(merchantId, paymentId));
    if (payment === null) throw new ApiError('PAYMENT_NOT_FOUND');
    return payment;
  }

  @Post('batch-query')
  @HttpCode(200)
  @ForMerchant({ scope: 'payments:read', body: BatchQueryDto, idempotencyKey: 'ignored' })
  @Header('Content-Type', 'application/json; charset=utf-8')
  async batchQuery(@Body() { paymentIds }: BatchQueryDto, @Req() request: FastifyRequest): Promise<string> {
    const { merchantId } = callerOf(request);
    return batchText(paymentIds, await this.queries.execute(new GetPaymentsQuery(merchantId, paymentIds)));
  }
}
