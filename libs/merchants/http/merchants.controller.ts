import {
  ChangeMerchantSettingsCommand,
  DescribeMerchantQuery,
  ListMerchantsQuery,
  RegisterMerchantCommand,
} from '@app/merchants/commands';
import { Body, Controller, Get, Header, Param, Patch, Post, Query, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { Operator } from '@app/platform/http/authentication/access';
import { MerchantSettingsDto } from './merchant-settings.dto';
import { RegisterMerchantDto } from './register-merchant.dto';
import type { PageBody } from '@app/platform/http/pages';
import { PageQuery } from '@app/platform/http/query-parameters';
import { ApiError } from '@app/platform/http/errors/api-error';
import { seedOf } from '@app/platform/http/request-state';
import { readFeeSchedule } from './fee-schedule';
import { noteMade, operatorContext } from '@app/platform/http/operator-context';
import { pageOfMerchants } from './merchant-page';
import { type MerchantBody, type MerchantItem, presentMerchant } from './present-merchant';
import { FIRST_TOKEN, tokenNote } from './token-note';

/** A new merchant with its credentials, which are shown only once. */
interface RegisteredMerchant {
  readonly merchantId: string;
  readonly name: string;
  readonly accessToken: string;
  readonly signingSecret: string;
  readonly webhookSecret: string;
  readonly note: string | null;
}

@Controller('admin/v1/merchants')
export class MerchantsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  /** Newest first. */
  @Get()
  @Operator({ query: PageQuery })
  @Header('Cache-Control', 'no-store')
  async list(@Query() page: PageQuery): Promise<PageBody<MerchantItem>> {
    return pageOfMerchants(await this.queries.execute(new ListMerchantsQuery()), page);
  }

  @Post()
  @Operator({ body: RegisterMerchantDto, idempotencyKey: 'optional' })
  @Header('Cache-Control', 'no-store')
  async register(@Body() body: RegisterMerchantDto, @Req() request: FastifyRequest): Promise<RegisteredMerchant> {
    const result = await this.commands.execute(
      new RegisterMerchantCommand(operatorContext(request), body, seedOf(request)),
    );
    if (result.kind === 'refused') {
      throw new ApiError(result.code, 'problems' in result ? { details: result.problems } : {});
    }
    const { merchantId, name, accessToken, signingSecret, webhookSecret } = result.value;
    noteMade(request, merchantId);
    return { merchantId, name, accessToken, signingSecret, webhookSecret, note: tokenNote(FIRST_TOKEN) };
  }

  @Get(':merchantId')
  @Operator()
  @Header('Cache-Control', 'no-store')
  async read(@Param('merchantId') merchantId: string): Promise<MerchantBody> {
    const merchant = await this.queries.execute(new DescribeMerchantQuery(merchantId));
    if (merchant === null) throw new ApiError('MERCHANT_NOT_FOUND');
    return presentMerchant(merchant);
  }

  @Patch(':merchantId')
  @Operator({ body: MerchantSettingsDto })
  @Header('Cache-Control', 'no-store')
  async change(
    @Param('merchantId') merchantId: string,
    @Body() { name, feeSchedule, ...settings }: MerchantSettingsDto,
    @Req() request: FastifyRequest,
  ): Promise<MerchantBody> {
    const changes = {
      ...settings,
      ...(feeSchedule === undefined ? {} : { feeSchedule: readFeeSchedule(feeSchedule) }),
    };
    const command = new ChangeMerchantSettingsCommand(operatorContext(request), merchantId, changes, name);
    const result = await this.commands.execute(command);
    if (result.kind === 'refused') {
      if ('problems' in result) throw new ApiError(result.code, { details: result.problems });
      // After the body's own validation only an unknown merchant can be refused.
      throw new ApiError(result.code === 'MERCHANT_NOT_FOUND' ? result.code : 'INTERNAL_ERROR');
    }
    return presentMerchant(result.value);
  }
}
