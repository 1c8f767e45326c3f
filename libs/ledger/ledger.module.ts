import { Module } from '@nestjs/common';
import { ledgerControllers } from './http/controllers';
import { GetBalancesHandler } from './read-models/query-handler';
import { ReadStatementHandler } from './read-models/statement-query-handler';
import { ReadTrialBalanceHandler } from './read-models/trial-balance-query-handler';

@Module({
  controllers: ledgerControllers,
  providers: [GetBalancesHandler, ReadStatementHandler, ReadTrialBalanceHandler],
})
export class LedgerModule {}
