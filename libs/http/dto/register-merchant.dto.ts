import { Optional, Pattern, Text } from './rules';

/** The body of `POST /admin/v1/merchants`. */
export class RegisterMerchantDto {
  /** Made up when absent. */
  @Optional()
  @Pattern(/^[A-Za-z0-9_]{1,64}$/)
  merchantId?: string;

  @Text({ min: 1, max: 200 })
  name!: string;
}
