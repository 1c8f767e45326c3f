import { AMOUNT_MAX_LENGTH, AMOUNT_PATTERN } from '@app/domain/money';
import { Pattern } from './rules';

/** A sum of money; how many decimals it may have depends on the currency, which is judged later. */
export class AmountDto {
  @Pattern(AMOUNT_PATTERN, { problem: 'INVALID_AMOUNT', maxLength: AMOUNT_MAX_LENGTH })
  value!: string;

  @Pattern(/^[A-Z]{3}$/, { problem: 'CURRENCY_NOT_SUPPORTED' })
  currency!: string;
}
