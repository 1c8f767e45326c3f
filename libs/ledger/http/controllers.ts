import { BalancesController } from './balances.controller';

export const ledgerControllers = [BalancesController];
