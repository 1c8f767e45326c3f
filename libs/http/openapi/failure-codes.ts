import type { FieldProblemCode } from '@app/application/outcome';

/** Why a payment or a refund failed: codes in its `error`, never of an answer. */
export const FAILURE_CODES = {
  CARD_DECLINED: 'The issuer declined without a reason.',
  INSUFFICIENT_FUNDS: 'The account has not enough funds.',
  LOST_CARD: 'The card was reported lost.',
  STOLEN_CARD: 'The card was reported stolen.',
  EXPIRED_CARD: 'The issuer says that the card has expired.',
  INCORRECT_CVC: 'The security code is wrong.',
  PROCESSING_ERROR: 'It could not be processed; a new one may succeed.',
  AUTHENTICATION_FAILED: 'The customer declined, or failed, the authentication.',
  RISK_BLOCKED: 'The risk check blocked it.',
  CAPTURE_REFUSED: 'The capture was refused, and the authorization was released.',
} as const;

/** Codes in `details` of VALIDATION_FAILED, one for each field that is wrong. */
export const FIELD_CODES = {
  REQUIRED: 'The field or header is missing.',
  INVALID_FORMAT: 'It has the wrong type, or is not written the way it must be: the message says how.',
  UNKNOWN_FIELD: 'There is no such field. Nothing is ignored silently.',
  TOO_LONG: 'It has more characters, elements or keys than it may have.',
  INVALID_AMOUNT: 'It is no amount, is zero, or has more decimals than the currency.',
  CURRENCY_NOT_SUPPORTED: 'It is no current ISO 4217 currency in upper case.',
  INVALID_CARD_NUMBER: 'It has not 12 to 19 digits, or its check digit is wrong.',
  CARD_EXPIRED: 'The card has expired.',
  CARD_DATA_NOT_ALLOWED:
    'It holds a card number, which belongs into `card.number` alone: see *Card numbers elsewhere*.',
  URL_NOT_ALLOWED: 'The URL has a scheme, or leads to an address, that webhooks never go to.',
} as const satisfies Readonly<Record<FieldProblemCode, string>>;
