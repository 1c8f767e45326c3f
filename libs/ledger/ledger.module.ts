import { Module } from '@nestjs/common';
import { ledgerControllers } from './http/controllers';
import { GetBalancesHandler } from './read-models/query-handler';

@Module({ controllers: ledgerControllers, providers: [GetBalancesHandler] })
export class LedgerModule {}
