import { AMOUNT_MAX_LENGTH, AMOUNT_PATTERN } from '@app/money';
import { applyDecorators } from '@nestjs/common';
import { Matches, MaxLength } from 'class-validator';
import { refusedAs } from './validation/rules';

/** A decimal string. How many decimals are allowed depends on the currency and is checked later. */
export function DecimalAmount(): PropertyDecorator {
  const refusal = refusedAs({ problem: 'INVALID_AMOUNT' });
  return applyDecorators(MaxLength(AMOUNT_MAX_LENGTH, refusal), Matches(AMOUNT_PATTERN, refusal));
}

/** An ISO 4217 code. Whether that currency exists is checked later. */
export function Currency(): PropertyDecorator {
  return Matches(/^[A-Z]{3}$/, refusedAs({ problem: 'CURRENCY_NOT_SUPPORTED' }));
}

/** A sum of money. */
export class AmountDto {
  @DecimalAmount()
  value!: string;

  @Currency()
  currency!: string;
}
