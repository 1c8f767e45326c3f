import { currencyExponent, formatAmount } from '@app/money';

import type { GatewayAmount } from '../../port';

/** As people write it in this language, `1,234.50 EUR` in English, to the last digit: the decimals are those of ISO 4217. */
export function writtenAmount({ amountMinor, currency }: GatewayAmount, language: string): string {
  const decimals = currencyExponent(currency);
  const format = new Intl.NumberFormat(language, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  // A number would round what a text does not.
  return `${format.format(formatAmount(amountMinor, currency) as Intl.StringNumericLiteral)} ${currency}`;
}
