import type { TrialBalanceBody } from '@app/ledger/read-models/documents';
import { ReadTrialBalanceQuery } from '@app/ledger/read-models/trial-balance-query';
import { isoTime } from '@app/event-sourcing';
import { Controller, Get, Header, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { Operator } from '@app/platform/http/authentication/access';
import { ApiError } from '@app/platform/http/errors/api-error';
import { parseTime } from '@app/platform/http/times';
import { DateTime, Optional } from '@app/platform/http/validation/rules';

/** The parameters of `GET /admin/v1/trial-balance`. */
export class TrialBalanceParameters {
  @Optional()
  @DateTime()
  asOf?: string;
}

interface AllTrialBalancesBody {
  readonly asOf: string | null;
  readonly currencies: readonly TrialBalanceBody[];
}

/** The books as a whole: what all merchants' accounts come to. */
@Controller('admin/v1/trial-balance')
export class TrialBalanceController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @Operator({ query: TrialBalanceParameters })
  @Header('Cache-Control', 'no-store')
  async read(@Query() { asOf: text }: TrialBalanceParameters): Promise<AllTrialBalancesBody> {
    const ms = text === undefined ? null : parseTime(text);
    const asOf = ms === null ? null : isoTime(ms);
    const currencies = await this.queries.execute(new ReadTrialBalanceQuery(asOf));
    if (currencies === 'rebuilding') throw new ApiError('READ_MODEL_REBUILDING');
    return { asOf, currencies };
  }
}
