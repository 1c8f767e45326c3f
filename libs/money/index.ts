export { CURRENCIES, findCurrency } from './currencies';
export type { CurrencyEntry, CurrencyExponent } from './currencies';
export {
  AMOUNT_DESCRIPTION,
  AMOUNT_MAX_LENGTH,
  AMOUNT_PATTERN,
  currencyExponent,
  formatAmount,
  isCurrency,
  parseAmount,
  toAmount,
} from './money';
export type { Amount, Currency, Money, ParsedAmount } from './money';
