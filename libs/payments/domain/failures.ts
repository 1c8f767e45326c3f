import type { Failure } from './events';
import type { Step } from './next-step';

/** Why payments and refunds fail: the codes shown to merchants, each with its text. */
export const FAILURE_TEXTS = {
  CARD_DECLINED: 'The issuer declined the card without a reason. Ask the customer for another card.',
  INSUFFICIENT_FUNDS: 'The account has not enough funds.',
  LOST_CARD: 'The card was reported lost.',
  STOLEN_CARD: 'The card was reported stolen.',
  EXPIRED_CARD: 'The issuer says that the card has expired.',
  INCORRECT_CVC: 'The security code is wrong.',
  PROCESSING_ERROR: 'The payment could not be processed. A new payment may succeed.',
  AUTHENTICATION_FAILED: 'The customer did not pass the authentication.',
  RISK_BLOCKED: 'The risk check blocked the payment.',
  CAPTURE_REFUSED: 'The capture was refused; the authorization is released.',
} as const;

export type FailureCode = keyof typeof FAILURE_TEXTS;

const REFUND_REFUSED = 'The refund was refused. The amount can be refunded again, also in another way.';

export function failureOf(code: FailureCode): Failure {
  return { code, message: FAILURE_TEXTS[code] };
}

/**
 * What a gateway decline means for the merchant. A refused capture has one code for all reasons; the processor's
 * response is recorded with it. Card-related texts don't apply to refunds.
 */
export function failureOfDecline(operation: Step['operation'], code: FailureCode): Failure {
  switch (operation) {
    case 'CAPTURE':
      return failureOf('CAPTURE_REFUSED');
    case 'REFUND':
      return { code, message: REFUND_REFUSED };
    default:
      return failureOf(code);
  }
}
