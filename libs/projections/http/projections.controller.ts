import { containsCardNumber } from '@app/cards';
import { type AdministrationResult } from '@app/projections/administration/administration';
import {
  CancelRebuildCommand,
  ListProjectionsQuery,
  RebuildProjectionCommand,
  RetryProjectionCommand,
  SkipProjectionEventCommand,
} from '@app/projections/administration/commands';
import { Body, Controller, Get, Header, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { Operator } from '@app/platform/http/authentication/access';
import { SkipProjectionEventDto } from './skip-projection-event.dto';
import { ApiError } from '@app/platform/http/errors/api-error';
import { operatorContext } from '@app/platform/http/operator-context';
import { type PageBody, pageOfAll } from '@app/platform/http/pages';
import { PageQuery } from '@app/platform/http/query-parameters';
import { presentProjection, type ProjectionBody } from './projection-body';

/**
 * The status of the read models, and the operator's actions on them. The projectors notice an action within a second.
 */
@Controller('admin/v1/projections')
export class ProjectionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @Operator({ query: PageQuery })
  @Header('Cache-Control', 'no-store')
  async list(@Query() page: PageQuery): Promise<PageBody<ProjectionBody>> {
    const statuses = await this.queries.execute(new ListProjectionsQuery());
    return pageOfAll('projections', statuses.map(presentProjection), page, ({ name }) => name);
  }

  @Post(':projection/rebuild')
  @HttpCode(202)
  @Operator({ idempotencyKey: 'optional' })
  @Header('Cache-Control', 'no-store')
  async rebuild(@Param('projection') name: string): Promise<ProjectionBody> {
    return presentResult(await this.commands.execute(new RebuildProjectionCommand(name)));
  }

  @Post(':projection/cancel')
  @HttpCode(200)
  @Operator({ idempotencyKey: 'optional' })
  @Header('Cache-Control', 'no-store')
  async cancel(@Param('projection') name: string): Promise<ProjectionBody> {
    return presentResult(await this.commands.execute(new CancelRebuildCommand(name)));
  }

  @Post(':projection/retry')
  @HttpCode(202)
  @Operator({ idempotencyKey: 'optional' })
  @Header('Cache-Control', 'no-store')
  async retry(@Param('projection') name: string): Promise<ProjectionBody> {
    return presentResult(await this.commands.execute(new RetryProjectionCommand(name)));
  }

  @Post(':projection/skip')
  @HttpCode(202)
  @Operator({ body: SkipProjectionEventDto, idempotencyKey: 'optional' })
  @Header('Cache-Control', 'no-store')
  async skip(
    @Param('projection') name: string,
    @Body() { position, reason }: SkipProjectionEventDto,
    @Req() request: FastifyRequest,
  ): Promise<ProjectionBody> {
    // The reason is stored in the log forever.
    if (containsCardNumber(reason)) {
      const message = 'A reason must not hold a card number.';
      throw new ApiError('VALIDATION_FAILED', {
        details: [{ field: 'reason', code: 'CARD_DATA_NOT_ALLOWED', message }],
      });
    }
    const skip = { position: BigInt(position), reason };
    return presentResult(
      await this.commands.execute(new SkipProjectionEventCommand(operatorContext(request), name, skip)),
    );
  }
}

function presentResult(result: AdministrationResult): ProjectionBody {
  if (result.kind === 'refused') throw new ApiError(result.code);
  return presentProjection(result.status);
}
