import { ChangeSuspensionCommand } from '@app/merchants/commands';
import { Body, Controller, Header, HttpCode, Param, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { Operator } from '@app/platform/http/authentication/access';
import { ApiError } from '@app/platform/http/errors/api-error';
import { operatorContext } from '@app/platform/http/operator-context';
import { type MerchantBody, presentMerchant } from './present-merchant';
import { SuspensionDto } from './suspension.dto';

/** Suspends and reinstates merchants. */
@Controller('admin/v1/merchants/:merchantId')
export class SuspensionController {
  constructor(private readonly commands: CommandBus) {}

  @Post('suspend')
  @HttpCode(200)
  @Operator({ body: SuspensionDto, idempotencyKey: 'optional' })
  @Header('Cache-Control', 'no-store')
  suspend(
    @Param('merchantId') merchantId: string,
    @Body() { reason }: SuspensionDto,
    @Req() request: FastifyRequest,
  ): Promise<MerchantBody> {
    return this.change(merchantId, 'suspend', reason ?? null, request);
  }

  @Post('reinstate')
  @HttpCode(200)
  @Operator({ body: SuspensionDto, idempotencyKey: 'optional' })
  @Header('Cache-Control', 'no-store')
  reinstate(
    @Param('merchantId') merchantId: string,
    @Body() { reason }: SuspensionDto,
    @Req() request: FastifyRequest,
  ): Promise<MerchantBody> {
    return this.change(merchantId, 'reinstate', reason ?? null, request);
  }

  private async change(
    merchantId: string,
    change: 'suspend' | 'reinstate',
    reason: string | null,
    request: FastifyRequest,
  ): Promise<MerchantBody> {
    const command = new ChangeSuspensionCommand(operatorContext(request), merchantId, change, reason);
    const result = await this.commands.execute(command);
    if (result.kind === 'done') return presentMerchant(result.value);
    throw new ApiError(result.code, 'problems' in result ? { details: result.problems } : {});
  }
}
