import type { Failure } from '@app/domain/payment';
import type { DeclineCode } from '@app/gateway/port';

const MESSAGES: Readonly<Record<DeclineCode, string>> = {
  CARD_DECLINED: 'The issuer declined the card without a reason. Ask the customer for another card.',
  INSUFFICIENT_FUNDS: 'The account has not enough funds.',
  LOST_CARD: 'The card was reported lost.',
  STOLEN_CARD: 'The card was reported stolen.',
  EXPIRED_CARD: 'The issuer says that the card has expired.',
  INCORRECT_CVC: 'The security code is wrong.',
  PROCESSING_ERROR: 'The payment could not be processed. A new payment may succeed.',
  RISK_BLOCKED: 'The risk check blocked the payment.',
  CAPTURE_REFUSED: 'The capture was refused; the authorization is released.',
};

/** A decline in merchants' words. */
export function failureOf(code: DeclineCode): Failure {
  return { code, message: MESSAGES[code] };
}
