import { MerchantId, Optional, Text } from '@app/platform/http/validation/rules';

/** The body of `POST /admin/v1/merchants`. */
export class RegisterMerchantDto {
  /** Generated when absent. */
  @Optional()
  @MerchantId()
  merchantId?: string;

  @Text({ min: 1, max: 200 })
  name!: string;
}
