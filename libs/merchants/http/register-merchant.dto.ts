import { MerchantId, Optional, Text } from '@app/platform/http/validation/rules';

/** The body of `POST /admin/v1/merchants`. */
export class RegisterMerchantDto {
  /** Made up when absent. */
  @Optional()
  @MerchantId()
  merchantId?: string;

  @Text({ min: 1, max: 200 })
  name!: string;
}
