import type { StatementPage } from '@app/ledger/read-models/documents';
import { ReadStatementQuery } from '@app/ledger/read-models/statement-query';
import { isCurrency } from '@app/money';
import { Controller, Get, Header, Query, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { Currency } from '@app/platform/http/amount.dto';
import { ForMerchant } from '@app/platform/http/authentication/access';
import { decodeCursor, encodeCursor } from '@app/platform/http/cursor';
import { ApiError } from '@app/platform/http/errors/api-error';
import { PRIVATE_FOR_5_SECONDS } from '@app/platform/http/outcome-value';
import type { PageBody } from '@app/platform/http/pages';
import { PageQuery, pageSizeOf } from '@app/platform/http/query-parameters';
import { callerOf } from '@app/platform/http/request-state';
import { timeRangeOf } from '@app/platform/http/times';
import { DateTime, Optional } from '@app/platform/http/validation/rules';

const UNKNOWN_CURRENCY = {
  field: 'currency',
  code: 'CURRENCY_NOT_SUPPORTED',
  message: 'Use the three upper-case letters of a current ISO 4217 currency.',
} as const;

type StatementBody = Omit<StatementPage, 'next'> & PageBody<StatementPage['items'][number]>;

/** The parameters of `GET /api/v2/balances/statement`. */
export class StatementParameters extends PageQuery {
  @Currency()
  currency!: string;

  /** Inclusive. */
  @Optional()
  @DateTime()
  from?: string;

  /** Exclusive. */
  @Optional()
  @DateTime()
  to?: string;
}

@Controller('api/v2/balances/statement')
export class StatementController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ForMerchant({ scope: 'payments:read', query: StatementParameters })
  @Header('Cache-Control', PRIVATE_FOR_5_SECONDS)
  async read(@Query() parameters: StatementParameters, @Req() request: FastifyRequest): Promise<StatementBody> {
    const { merchantId } = callerOf(request);
    const { currency, cursor, from, to } = parameters;
    // The schema knows the form of a code alone.
    if (!isCurrency(currency)) throw new ApiError('VALIDATION_FAILED', { details: [UNKNOWN_CURRENCY] });
    const period = timeRangeOf({ from, to }, { from: 'from', to: 'to' });
    const list = JSON.stringify(['statement', merchantId, currency, period]);
    const after = cursor === undefined ? null : decodeCursor(list, cursor);
    const query = new ReadStatementQuery(merchantId, currency, period, after, pageSizeOf(parameters));
    const page = await this.queries.execute(query);
    if (page === 'rebuilding') throw new ApiError('READ_MODEL_REBUILDING');
    const { next, ...statement } = page;
    return { ...statement, nextCursor: next === null ? null : encodeCursor(list, next) };
  }
}
