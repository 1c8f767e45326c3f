import { CancelPaymentCommand, CapturePaymentCommand, type RecordedRequest } from '@app/payments/commands/commands';
import type { PaymentOutcome } from '@app/payments/commands/outcome';
import { assert } from '@app/event-sourcing';
import type { PaymentBody } from '@app/payments/read-models/documents';
import { GetPaymentAtQuery } from '@app/payments/read-models/history-queries';
import { Body, Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ForMerchant } from '@app/platform/http/authentication/access';
import { CancelPaymentDto } from './cancel-payment.dto';
import { CapturePaymentDto } from './capture-payment.dto';
import { callerOf, idempotencyKeyOf } from '@app/platform/http/request-state';
import { valueOf } from '@app/platform/http/outcome-value';

/**
 * A merchant's commands on an open payment. Accepted doesn't mean done: the response shows the payment as of the event
 * that stores the request, and every replay gets the same response.
 */
@Controller('api/v2/payments/:paymentId')
export class PaymentActionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post('capture')
  @HttpCode(202)
  @ForMerchant({ scope: 'payments:write', body: CapturePaymentDto, writes: true, idempotencyKey: 'required' })
  async capture(
    @Param('paymentId') paymentId: string,
    @Body() body: CapturePaymentDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PaymentBody> {
    const command = new CapturePaymentCommand(callerOf(request), idempotencyKeyOf(request), paymentId, body);
    return this.answer(await this.commands.execute(command), request, reply);
  }

  @Post('cancel')
  @HttpCode(202)
  @ForMerchant({ scope: 'payments:write', body: CancelPaymentDto, writes: true, idempotencyKey: 'required' })
  async cancel(
    @Param('paymentId') paymentId: string,
    @Body() body: CancelPaymentDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PaymentBody> {
    const command = new CancelPaymentCommand(callerOf(request), idempotencyKeyOf(request), paymentId, body);
    return this.answer(await this.commands.execute(command), request, reply);
  }

  private async answer(
    outcome: PaymentOutcome<RecordedRequest>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<PaymentBody> {
    const { paymentId, revision } = valueOf(outcome, reply);
    const { merchantId } = callerOf(request);
    const payment = await this.queries.execute(new GetPaymentAtQuery(merchantId, paymentId, revision));
    assert(payment, 'a request that was recorded has its payment');
    return payment;
  }
}
