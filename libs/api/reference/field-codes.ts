import type { FieldProblemCode } from '@app/platform/outcome';

/** The codes in `details` of VALIDATION_FAILED, one for each invalid field. */
export const FIELD_CODES = {
  REQUIRED: 'The field or header is missing.',
  INVALID_FORMAT: 'It has the wrong type or form. The message says what is expected.',
  UNKNOWN_FIELD: 'There is no such field. Nothing is ignored silently.',
  TOO_LONG: 'It has too many characters, elements or keys.',
  INVALID_AMOUNT: 'It is not an amount, is zero, or has more decimals than the currency.',
  CURRENCY_NOT_SUPPORTED: 'It is not the upper-case code of a current ISO 4217 currency.',
  INVALID_CARD_NUMBER: 'It does not have 12 to 19 digits, is all zeros, or its check digit is wrong.',
  CARD_EXPIRED: 'The card has expired.',
  CARD_DATA_NOT_ALLOWED:
    'It holds a card number, which belongs in `card.number` only: see the guide *Card numbers elsewhere*.',
  URL_NOT_ALLOWED: 'The URL has a scheme or an address that webhooks are never sent to.',
} as const satisfies Readonly<Record<FieldProblemCode, string>>;
