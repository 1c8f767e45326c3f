import {
  type AuditorDescription,
  DescribeAuditorQuery,
  ListAuditorsQuery,
  type ListedAuditor,
  RegisterAuditorCommand,
  RevokeAuditorCommand,
} from '@app/auditors/commands';
import { Clock, isoTime } from '@app/event-sourcing';
import { Operator } from '@app/platform/http/authentication/access';
import { ApiError } from '@app/platform/http/errors/api-error';
import { noteMade, operatorContext } from '@app/platform/http/operator-context';
import { type PageBody, pageOfAll } from '@app/platform/http/pages';
import { PageQuery } from '@app/platform/http/query-parameters';
import { seedOf } from '@app/platform/http/request-state';
import { parseTime } from '@app/platform/http/times';
import { Body, Controller, Delete, Get, Header, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { RegisterAuditorDto } from './register-auditor.dto';

/** An auditor without the token. If the status is `DAMAGED`, only the id can be trusted. */
interface AuditorBody {
  readonly auditorId: string;
  readonly name: string | null;
  readonly status: 'ACTIVE' | 'EXPIRED' | 'REVOKED' | 'DAMAGED';
  readonly registeredAt: string | null;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

/** A new auditor with the token, which is shown only once. */
interface RegisteredAuditor {
  readonly auditorId: string;
  readonly name: string;
  readonly registeredAt: string;
  readonly expiresAt: string;
  readonly auditorToken: string;
}

/** Who may read everything. */
@Controller('admin/v1/auditors')
export class AuditorsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly clock: Clock,
  ) {}

  /** Newest first. */
  @Get()
  @Operator({ query: PageQuery })
  @Header('Cache-Control', 'no-store')
  async list(@Query() page: PageQuery): Promise<PageBody<AuditorBody>> {
    const all = (await this.queries.execute(new ListAuditorsQuery())).map((listed) => this.present(listed));
    const order = ({ registeredAt, auditorId }: AuditorBody) => `${registeredAt ?? ''}|${auditorId}`;
    const ordered = all.sort((a, b) => (order(a) < order(b) ? 1 : -1));
    return pageOfAll('auditors', ordered, page, ({ auditorId }) => auditorId);
  }

  @Post()
  @Operator({ body: RegisterAuditorDto, idempotencyKey: 'optional' })
  @Header('Cache-Control', 'no-store')
  async register(
    @Body() { name, expiresAt }: RegisterAuditorDto,
    @Req() request: FastifyRequest,
  ): Promise<RegisteredAuditor> {
    const expires = isoTime(parseTime(expiresAt) ?? 0);
    const command = new RegisterAuditorCommand(operatorContext(request), name, expires, seedOf(request));
    const result = await this.commands.execute(command);
    if (result.kind === 'refused') throw new ApiError('VALIDATION_FAILED', { details: result.problems });
    const { revokedAt: _live, ...auditor } = result.auditor;
    noteMade(request, auditor.auditorId);
    return { ...auditor, auditorToken: result.auditorToken };
  }

  @Get(':auditorId')
  @Operator()
  @Header('Cache-Control', 'no-store')
  async read(@Param('auditorId') auditorId: string): Promise<AuditorBody> {
    const auditor = await this.queries.execute(new DescribeAuditorQuery(auditorId));
    if (auditor === null) throw new ApiError('AUDITOR_NOT_FOUND');
    return this.present({ auditorId, auditor });
  }

  @Delete(':auditorId')
  @HttpCode(204)
  @Operator()
  async revoke(@Param('auditorId') auditorId: string, @Req() request: FastifyRequest): Promise<void> {
    const result = await this.commands.execute(new RevokeAuditorCommand(operatorContext(request), auditorId));
    if (result !== 'done') throw new ApiError(result);
  }

  private present({
    auditorId,
    auditor,
  }: Pick<ListedAuditor, 'auditorId'> & { readonly auditor: AuditorDescription | null }): AuditorBody {
    if (auditor === null) {
      return { auditorId, name: null, status: 'DAMAGED', registeredAt: null, expiresAt: null, revokedAt: null };
    }
    const { name, registeredAt, expiresAt, revokedAt } = auditor;
    const ended = isoTime(this.clock.nowMs()) < expiresAt ? 'ACTIVE' : 'EXPIRED';
    return { auditorId, name, status: revokedAt === null ? ended : 'REVOKED', registeredAt, expiresAt, revokedAt };
  }
}

export const auditorControllers = [AuditorsController];
