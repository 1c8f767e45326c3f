export * from './access-tokens';
export * from './change-settings';
export * from './describe-merchant';
export { MerchantDirectory } from './directory';
export { RegisterMerchantCommand } from './register-merchant';
export type { RegisterMerchantRequest, RegisterMerchantResult } from './register-merchant';
export * from './rotate-secret';
