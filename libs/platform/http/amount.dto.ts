import { AMOUNT_MAX_LENGTH, AMOUNT_PATTERN } from '@app/money';
import { applyDecorators } from '@nestjs/common';
import { Matches, MaxLength } from 'class-validator';
import { refusedAs } from './validation/rules';

/** A decimal text; how many decimals it may have depends on the currency, which is judged later. */
export function DecimalAmount(): PropertyDecorator {
  const refusal = refusedAs({ problem: 'INVALID_AMOUNT' });
  return applyDecorators(MaxLength(AMOUNT_MAX_LENGTH, refusal), Matches(AMOUNT_PATTERN, refusal));
}

/** An ISO 4217 code; whether there is such a currency is judged later. */
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
