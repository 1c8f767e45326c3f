import type { FieldProblemCode } from '@app/platform/outcome';

/** Codes in `details` of VALIDATION_FAILED, one for each field that is wrong. */
export const FIELD_CODES = {
  REQUIRED: 'The field or header is missing.',
  INVALID_FORMAT: 'It has the wrong type, or is not written the way it must be: the message says how.',
  UNKNOWN_FIELD: 'There is no such field. Nothing is ignored silently.',
  TOO_LONG: 'It has more characters, elements or keys than it may have.',
  INVALID_AMOUNT: 'It is no amount, is zero, or has more decimals than the currency.',
  CURRENCY_NOT_SUPPORTED: 'It is no current ISO 4217 currency in upper case.',
  INVALID_CARD_NUMBER: 'It has not 12 to 19 digits, is all zeros, or its check digit is wrong.',
  CARD_EXPIRED: 'The card has expired.',
  CARD_DATA_NOT_ALLOWED:
    'It holds a card number, which belongs into `card.number` alone: see *Card numbers elsewhere*.',
  URL_NOT_ALLOWED: 'The URL has a scheme, or leads to an address, that webhooks never go to.',
} as const satisfies Readonly<Record<FieldProblemCode, string>>;
