import { IdempotencyModule } from '@app/idempotency/idempotency.module';
import { Merchants } from '@app/platform/merchants';
import { Module } from '@nestjs/common';
import { IssueAccessTokenHandler, ListAccessTokensHandler, RevokeAccessTokenHandler } from './commands/access-tokens';
import { ChangeMerchantSettingsHandler } from './commands/change-settings';
import { DescribeMerchantHandler } from './commands/describe-merchant';
import { ListMerchantsHandler } from './commands/list-merchants';
import { ChangeSuspensionHandler } from './commands/suspension';
import { MerchantDirectory } from './commands/directory';
import { MasterKeyRotation } from './commands/master-key-rotation';
import { RegisterMerchantHandler } from './commands/register-merchant';
import { MerchantRegistration } from './commands/registration';
import { RotateSecretHandler } from './commands/rotate-secret';
import { TokenUses } from './commands/token-uses';
import { merchantControllers } from './http/controllers';

/** Merchants, for authentication and for every worker that needs their fees or secrets. */
@Module({
  providers: [MerchantDirectory, { provide: Merchants, useExisting: MerchantDirectory }],
  exports: [MerchantDirectory, Merchants],
})
export class MerchantDirectoryModule {}

/** The operator's commands and queries on merchants. */
@Module({
  imports: [MerchantDirectoryModule, IdempotencyModule],
  controllers: merchantControllers,
  providers: [
    MerchantRegistration,
    RegisterMerchantHandler,
    ChangeMerchantSettingsHandler,
    ChangeSuspensionHandler,
    DescribeMerchantHandler,
    ListMerchantsHandler,
    IssueAccessTokenHandler,
    RevokeAccessTokenHandler,
    ListAccessTokensHandler,
    TokenUses,
    RotateSecretHandler,
    MasterKeyRotation,
  ],
})
export class MerchantsModule {}
