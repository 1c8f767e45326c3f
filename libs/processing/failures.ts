import type { Failure, Step } from '@app/domain/payment';
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

const REFUND_REFUSED = 'The refund was refused. The amount can be refunded again, also in another way.';

/**
 * A decline in merchants' words. A refused capture has one code whatever the reason was; the processor's own answer stands
 * beside it. What a code says of a card is no advice for a refund.
 */
export function failureOf(operation: Step['operation'], code: DeclineCode): Failure {
  if (operation === 'CAPTURE') return { code: 'CAPTURE_REFUSED', message: MESSAGES.CAPTURE_REFUSED };
  return { code, message: operation === 'REFUND' ? REFUND_REFUSED : MESSAGES[code] };
}
