import {
  ChangeMerchantSettingsCommand,
  DescribeMerchantQuery,
  type MerchantDescription,
  RegisterMerchantCommand,
} from '@app/merchants/commands';
import { Body, Controller, Get, Header, Param, Patch, Post, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { Operator } from '@app/platform/http/authentication/access';
import { MerchantSettingsDto } from './merchant-settings.dto';
import { RegisterMerchantDto } from './register-merchant.dto';
import { ApiError } from '@app/platform/http/errors/api-error';
import { seedOf } from '@app/platform/http/request-state';
import { type FeeScheduleBody, presentFeeSchedule, readFeeSchedule } from './fee-schedule';
import { noteMade, operatorContext } from '@app/platform/http/operator-context';
import { FIRST_TOKEN, tokenNote } from './token-note';

/** A new merchant with its credentials, which are shown this one time. */
interface RegisteredMerchant {
  readonly merchantId: string;
  readonly name: string;
  readonly accessToken: string;
  readonly signingSecret: string;
  readonly webhookSecret: string;
  readonly note: string | null;
}

/** A merchant with the settings that hold now. */
interface DescribedMerchant {
  readonly merchantId: string;
  readonly name: string;
  readonly registeredAt: string;
  readonly requireSignatures: boolean;
  readonly rotationGraceSeconds: number;
  readonly feeSchedule: FeeScheduleBody;
}

@Controller('admin/v1/merchants')
export class MerchantsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

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
  async read(@Param('merchantId') merchantId: string): Promise<DescribedMerchant> {
    const merchant = await this.queries.execute(new DescribeMerchantQuery(merchantId));
    if (merchant === null) throw new ApiError('MERCHANT_NOT_FOUND');
    return present(merchant);
  }

  @Patch(':merchantId')
  @Operator({ body: MerchantSettingsDto })
  @Header('Cache-Control', 'no-store')
  async change(
    @Param('merchantId') merchantId: string,
    @Body() { feeSchedule, ...settings }: MerchantSettingsDto,
    @Req() request: FastifyRequest,
  ): Promise<DescribedMerchant> {
    const changes = {
      ...settings,
      ...(feeSchedule === undefined ? {} : { feeSchedule: readFeeSchedule(feeSchedule) }),
    };
    const command = new ChangeMerchantSettingsCommand(operatorContext(request), merchantId, changes);
    const result = await this.commands.execute(command);
    if (result.kind === 'refused') {
      // The body's own checks leave nothing else to refuse but the merchant.
      throw new ApiError(result.code === 'MERCHANT_NOT_FOUND' ? result.code : 'INTERNAL_ERROR');
    }
    return present(result.value);
  }
}

function present({ merchantId, name, registeredAt, settings }: MerchantDescription): DescribedMerchant {
  return { merchantId, name, registeredAt, ...settings, feeSchedule: presentFeeSchedule(settings.feeSchedule) };
}
