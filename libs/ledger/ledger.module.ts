import { Module } from '@nestjs/common';
import { BalancesController } from './http/balances.controller';
import { GetBalancesHandler } from './read-models/query-handler';

@Module({ controllers: [BalancesController], providers: [GetBalancesHandler] })
export class LedgerModule {}
