import { MerchantsController } from './merchants.controller';
import { SecretsController } from './secrets.controller';
import { TokensController } from './tokens.controller';

export const merchantControllers = [MerchantsController, TokensController, SecretsController];
