import type { WebhookDeliveryBody } from '@app/webhooks/read-models/documents';
import { GetWebhookDeliveryQuery } from '@app/webhooks/read-models/queries';
import { ApiError } from '@app/platform/http/errors/api-error';
import { Controller, Get, Header, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { ForMerchant } from '@app/platform/http/authentication/access';
import { WebhookDeliveriesQuery } from './webhook-deliveries.dto';
import { callerOf, seedOf } from '@app/platform/http/request-state';
import { deliveryPage, type DeliveryPageBody, whole } from './delivery-pages';
import { redeliverOne } from './redelivery';
import { shownToMerchant } from './shown-to-merchant';

/** A merchant's webhook deliveries. */
@Controller('api/v2/webhook-deliveries')
export class WebhookDeliveriesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ForMerchant({ scope: 'webhooks:manage', query: WebhookDeliveriesQuery })
  @Header('Cache-Control', 'no-store')
  list(@Query() query: WebhookDeliveriesQuery, @Req() request: FastifyRequest): Promise<DeliveryPageBody> {
    const { merchantId } = callerOf(request);
    const { paymentId = null, status = null } = query;
    return deliveryPage(this.queries, { merchantId, paymentId, status }, query, shownToMerchant);
  }

  @Get(':deliveryId')
  @ForMerchant({ scope: 'webhooks:manage' })
  @Header('Cache-Control', 'no-store')
  async read(@Param('deliveryId') deliveryId: string, @Req() request: FastifyRequest): Promise<WebhookDeliveryBody> {
    const { merchantId } = callerOf(request);
    const found = whole(await this.queries.execute(new GetWebhookDeliveryQuery(merchantId, deliveryId)));
    if (found === null) throw new ApiError('DELIVERY_NOT_FOUND');
    return shownToMerchant(found.body);
  }

  @Post(':deliveryId/redeliver')
  @HttpCode(202)
  @ForMerchant({ scope: 'webhooks:manage', writes: true, idempotencyKey: 'optional' })
  @Header('Cache-Control', 'no-store')
  redeliver(@Param('deliveryId') deliveryId: string, @Req() request: FastifyRequest): Promise<WebhookDeliveryBody> {
    const { merchantId, correlationId } = callerOf(request);
    const context = { correlationId, causationId: null, actor: `merchant:${merchantId}` };
    const buses = { commands: this.commands, queries: this.queries };
    return redeliverOne(buses, context, { merchantId, deliveryId }, seedOf(request));
  }
}
