import { BalancesController } from './balances.controller';
import { StatementController } from './statement.controller';
import { TrialBalanceController } from './trial-balance.controller';

export const ledgerControllers = [BalancesController, StatementController, TrialBalanceController];
