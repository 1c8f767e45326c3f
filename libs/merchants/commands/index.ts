import { RequestFingerprints } from '@app/keys';
import { AnsweredRequests } from '@app/idempotency/answered-requests';
import { IssueAccessTokenHandler, ListAccessTokensHandler, RevokeAccessTokenHandler } from './access-tokens';
import { ChangeMerchantSettingsHandler } from './change-settings';
import { DescribeMerchantHandler } from './describe-merchant';
import { MerchantDirectory } from './directory';
import { MasterKeyRotation } from './master-key-rotation';
import { RegisterMerchantHandler } from './register-merchant';
import { MerchantRegistration } from './registration';
import { RotateSecretHandler } from './rotate-secret';

export * from './access-tokens';
export * from './change-settings';
export * from './describe-merchant';
export type { MerchantCredentials } from './credentials';
export { MerchantDirectory } from './directory';
export type { LiveSecrets } from './directory';
export type { AuthenticatedMerchant } from './merchant-index';
export { MasterKeyRotation } from './master-key-rotation';
export type { RotationOutcome } from './master-key-rotation';
export { RegisterMerchantCommand, RegisterMerchantHandler } from './register-merchant';
export type { RegisterMerchantRequest, RegisterMerchantResult } from './register-merchant';
export { MerchantRegistration } from './registration';
export * from './rotate-secret';
export { ensureSandboxMerchant, SandboxFileError } from './sandbox-merchant';
export type { SandboxMerchant, SandboxMerchantDependencies } from './sandbox-merchant';

/** Needs `EventStore`, `Clock`, `Random`, `CommandHandling` and `SecretCipher` as providers. */
export const merchantProviders = [
  AnsweredRequests,
  MerchantDirectory,
  MerchantRegistration,
  RegisterMerchantHandler,
  ChangeMerchantSettingsHandler,
  DescribeMerchantHandler,
  IssueAccessTokenHandler,
  RevokeAccessTokenHandler,
  ListAccessTokensHandler,
  RotateSecretHandler,
  RequestFingerprints,
  MasterKeyRotation,
] as const;
