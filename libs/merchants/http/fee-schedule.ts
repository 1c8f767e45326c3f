import type { FieldProblem } from '@app/platform/outcome';
import type { FeeSchedule } from '@app/merchants/domain';
import { type Amount, type Currency, isCurrency, parseAmount, toAmount } from '@app/money';
import type { FeeScheduleDto } from './merchant-settings.dto';
import { ApiError } from '@app/platform/http/errors/api-error';

/** @throws ApiError if a fixed part is no valid amount of its currency, or a currency occurs twice. */
export function readFeeSchedule({ basisPoints, fixed = [] }: FeeScheduleDto): FeeSchedule {
  const problems: FieldProblem[] = [];
  const parts = new Map<string, string>();
  for (const [index, { value, currency }] of fixed.entries()) {
    const field = `feeSchedule.fixed[${index}]`;
    if (!isCurrency(currency)) {
      const message = 'Use the three upper-case letters of a current ISO 4217 currency.';
      problems.push({ field: `${field}.currency`, code: 'CURRENCY_NOT_SUPPORTED', message });
    } else if (parts.has(currency)) {
      problems.push({ field: `${field}.currency`, code: 'INVALID_FORMAT', message: 'Name each currency only once.' });
    } else {
      const parsed = parseAmount(value, currency, { allowZero: true });
      if (parsed.ok) parts.set(currency, String(parsed.amountMinor));
      else problems.push({ field: `${field}.value`, code: 'INVALID_AMOUNT', message: 'Too many decimals or digits.' });
    }
  }
  if (problems.length > 0) throw new ApiError('VALIDATION_FAILED', { details: problems });
  return { basisPoints, fixedMinor: [...parts] };
}

export interface FeeScheduleBody {
  readonly basisPoints: number;
  readonly fixed: readonly Amount[];
}

export function presentFeeSchedule({ basisPoints, fixedMinor }: FeeSchedule): FeeScheduleBody {
  const fixed = fixedMinor.map(([currency, amountMinor]) =>
    toAmount({ amountMinor: BigInt(amountMinor), currency: currency as Currency }),
  );
  return { basisPoints, fixed };
}
