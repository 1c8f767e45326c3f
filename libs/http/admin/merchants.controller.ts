import { RegisterMerchantCommand } from '@app/application/merchants';
import { Body, Controller, Header, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { Operator } from '../authentication/access';
import { RegisterMerchantDto } from '../dto/register-merchant.dto';
import { ApiError } from '../errors/api-error';

/** A new merchant with its credentials, which are shown this one time. */
interface RegisteredMerchant {
  readonly merchantId: string;
  readonly name: string;
  readonly accessToken: string;
  readonly signingSecret: string;
  readonly webhookSecret: string;
}

@Controller('admin/v1/merchants')
export class MerchantsController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @Operator({ body: RegisterMerchantDto })
  @Header('Cache-Control', 'no-store')
  async register(@Body() body: RegisterMerchantDto, @Req() request: FastifyRequest): Promise<RegisteredMerchant> {
    const context = { correlationId: request.id, causationId: null, actor: 'operator' };
    const result = await this.commands.execute(new RegisterMerchantCommand(context, body));
    if (result.kind === 'refused') throw new ApiError(result.code);
    const { merchantId, name, accessToken, signingSecret, webhookSecret } = result.value;
    return { merchantId, name, accessToken, signingSecret, webhookSecret };
  }
}
