import { currencyExponent, formatAmount } from '@app/money';

import type { GatewayAmount } from '../../port';

/**
 * The amount as this language writes it, `1,234.50 EUR` in English, exact to the last digit, with the decimals of ISO
 * 4217.
 */
export function writtenAmount({ amountMinor, currency }: GatewayAmount, language: string): string {
  const decimals = currencyExponent(currency);
  const format = new Intl.NumberFormat(language, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  // A string, because a number would be rounded.
  return `${format.format(formatAmount(amountMinor, currency) as Intl.StringNumericLiteral)} ${currency}`;
}
