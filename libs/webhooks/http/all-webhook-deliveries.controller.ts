import { RequestRedeliveriesCommand } from '@app/webhooks/commands/request-redeliveries';
import type { WebhookDeliveryBody, WebhookDeliveryDetail } from '@app/webhooks/read-models/documents';
import { ListWebhookDeliveriesQuery, ReadWebhookDeliveryQuery } from '@app/webhooks/read-models/queries';
import { Body, Controller, Get, Header, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { Operator } from '@app/platform/http/authentication/access';
import { decodeCursor, encodeCursor } from '@app/platform/http/cursor';
import { AllWebhookDeliveriesQuery, RedeliverDto } from './webhook-deliveries.dto';
import { ApiError } from '@app/platform/http/errors/api-error';
import { deliveryPage, type DeliveryPageBody, whole } from './delivery-pages';
import { redeliverOne } from './redelivery';
import { seedOf } from '@app/platform/http/request-state';
import { operatorContext } from '@app/platform/http/operator-context';
import { timeRangeOf } from '@app/platform/http/times';

/** The most deliveries considered in one call: each may be an append, and the request must be answered in time. */
export const REDELIVERIES_PER_CALL = 200;

interface RedeliveredRange {
  /** How many of the deliveries considered were not due already. */
  readonly requested: number;
  /** For the remaining deliveries, send it as `cursor` in an otherwise unchanged request; null if none remain. */
  readonly nextCursor: string | null;
}

/** The webhook deliveries of all merchants. */
@Controller('admin/v1/webhook-deliveries')
export class AllWebhookDeliveriesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @Operator({ query: AllWebhookDeliveriesQuery })
  @Header('Cache-Control', 'no-store')
  list(@Query() query: AllWebhookDeliveriesQuery): Promise<DeliveryPageBody> {
    const { merchantId = null, paymentId = null, status = null } = query;
    return deliveryPage(this.queries, { merchantId, paymentId, status }, query);
  }

  @Get(':deliveryId')
  @Operator()
  @Header('Cache-Control', 'no-store')
  async read(@Param('deliveryId') deliveryId: string): Promise<WebhookDeliveryDetail> {
    const delivery = whole(await this.queries.execute(new ReadWebhookDeliveryQuery(deliveryId)));
    if (delivery === null) throw new ApiError('DELIVERY_NOT_FOUND');
    return delivery;
  }

  @Post(':deliveryId/redeliver')
  @HttpCode(202)
  @Operator({ idempotencyKey: 'optional' })
  @Header('Cache-Control', 'no-store')
  redeliver(@Param('deliveryId') deliveryId: string, @Req() request: FastifyRequest): Promise<WebhookDeliveryBody> {
    const buses = { commands: this.commands, queries: this.queries };
    return redeliverOne(buses, operatorContext(request), { merchantId: null, deliveryId }, seedOf(request));
  }

  /** Oldest first. */
  @Post('redeliver')
  @HttpCode(202)
  @Operator({ body: RedeliverDto, idempotencyKey: 'optional' })
  @Header('Cache-Control', 'no-store')
  async redeliverRange(@Body() body: RedeliverDto, @Req() request: FastifyRequest): Promise<RedeliveredRange> {
    const { merchantId = null, status, cursor } = body;
    // Order keys begin with a time in a fixed spelling. A `from` earlier than every delivery is fine.
    const { from = '', to: until = '' } = timeRangeOf(body, { from: 'from', to: 'to' });
    const list = `redeliver/${merchantId ?? '*'}/${status}/${from}/${until}`;
    const after = cursor === undefined ? from : decodeCursor(list, cursor);
    const limit = REDELIVERIES_PER_CALL;
    const page = { merchantId, status, direction: 'ascending', after, until, limit } as const;
    const { items, next } = whole(await this.queries.execute(new ListWebhookDeliveriesQuery(page)));
    const listed = items.map(({ body: { deliveryId }, source }) => ({ deliveryId, source }));
    const condition = { merchantId: body.merchantId, status, recordedFrom: from, recordedUntil: until };
    const requestId = seedOf(request)?.requestId ?? null;
    const command = new RequestRedeliveriesCommand(operatorContext(request), listed, condition, requestId);
    const { requested } = await this.commands.execute(command);
    return { requested, nextCursor: next === null ? null : encodeCursor(list, next) };
  }
}
