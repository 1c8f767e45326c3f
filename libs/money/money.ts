/**
 * Amounts of money: integers of the currency's minor unit inside, decimal strings outside. No floating point anywhere:
 * it cannot represent 0.10 exactly.
 */
import { findCurrency } from './currencies';

declare const currencyBrand: unique symbol;

/** An accepted ISO 4217 alphabetic code; only `isCurrency` turns a string into one. */
export type Currency = string & { readonly [currencyBrand]: true };

export interface Money {
  /** In the currency's minor unit: cents for EUR, yen for JPY, fils for KWD. */
  readonly amountMinor: bigint;
  readonly currency: Currency;
}

/** Money in requests, responses and webhooks. */
export interface Amount {
  /** Decimal string; in responses always with exactly the currency's decimals. */
  readonly value: string;
  readonly currency: string;
}

/**
 * The form of an amount before its currency is known: up to 12 digits without leading zeros, then optionally a point
 * and decimals. No sign, exponent, grouping or spaces; ASCII digits only. `parseAmount` checks what depends on the
 * currency and the field: the number of decimals, and whether zero is allowed.
 */
export const AMOUNT_PATTERN = /^(0|[1-9][0-9]{0,11})(\.[0-9]+)?$/;

/** What `AMOUNT_PATTERN` and `parseAmount` accept together, for the API documentation. */
export const AMOUNT_DESCRIPTION =
  'Decimal string with up to 12 integer digits and no more decimals than the currency has in ISO 4217 ' +
  '(0 for JPY, 2 for EUR, 3 for KWD, 4 for CLF); no sign, exponent or leading zeros.';

/** The longest valid amount: 12 digits, a point, 4 decimals. */
export const AMOUNT_MAX_LENGTH = 17;

export type ParsedAmount =
  { readonly ok: true; readonly amountMinor: bigint } | { readonly ok: false; readonly reason: 'INVALID_AMOUNT' };

const INVALID_AMOUNT: ParsedAmount = Object.freeze({ ok: false, reason: 'INVALID_AMOUNT' });

export function isCurrency(code: unknown): code is Currency {
  return typeof code === 'string' && findCurrency(code) !== undefined;
}

/** Decimals of the currency's minor unit. Throws for an unknown code, which the branded type makes a bug. */
export function currencyExponent(currency: Currency): number {
  const entry = findCurrency(currency);
  if (entry === undefined) {
    throw new Error(`not an accepted ISO 4217 currency: ${JSON.stringify(currency)}`);
  }
  return entry.exponent;
}

/**
 * Parses a decimal string into minor units of `currency`. Fewer decimals than the currency's are accepted (`12.5` EUR
 * is 1250); more are refused even if they are zeros, since nothing is ever rounded. Zero is refused unless `allowZero`
 * is set, as for the unit price of an item.
 */
export function parseAmount(
  value: string,
  currency: Currency,
  { allowZero = false }: { readonly allowZero?: boolean } = {},
): ParsedAmount {
  const exponent = currencyExponent(currency);
  if (value.length > AMOUNT_MAX_LENGTH || !AMOUNT_PATTERN.test(value)) {
    return INVALID_AMOUNT;
  }
  const [units = '', decimals = ''] = value.split('.');
  if (decimals.length > exponent) {
    return INVALID_AMOUNT;
  }
  const amountMinor = BigInt(units + decimals.padEnd(exponent, '0'));
  return amountMinor === 0n && !allowZero ? INVALID_AMOUNT : { ok: true, amountMinor };
}

/**
 * Formats minor units as a decimal string with exactly the currency's decimals (`1250` EUR is `12.50`, `5` JPY is `5`).
 * Accepts sums larger than any single amount, and negative balances, which get a leading minus.
 */
export function formatAmount(amountMinor: bigint, currency: Currency): string {
  const exponent = currencyExponent(currency);
  const sign = amountMinor < 0n ? '-' : '';
  const digits = (amountMinor < 0n ? -amountMinor : amountMinor).toString().padStart(exponent + 1, '0');
  if (exponent === 0) {
    return sign + digits;
  }
  return `${sign}${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

export function toAmount(money: Money): Amount {
  return { value: formatAmount(money.amountMinor, money.currency), currency: money.currency };
}
