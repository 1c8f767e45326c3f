import { MerchantsController } from './merchants.controller';
import { SecretsController } from './secrets.controller';
import { SuspensionController } from './suspension.controller';
import { TokensController } from './tokens.controller';

export const merchantControllers = [MerchantsController, SuspensionController, TokensController, SecretsController];
