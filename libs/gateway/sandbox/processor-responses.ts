import type { DeclineCode, ProcessorResponse } from '../port';

const response = (code: string, message: string): ProcessorResponse => Object.freeze({ code, message });

/**
 * All responses of the sandbox's processor. Two-digit codes are those of ISO 8583 field 39; `N7` and `1A` are additions
 * by card schemes.
 */
export const RESPONSES = {
  approved: response('00', 'Approved'),
  doNotHonor: response('05', 'Do not honor'),
  invalidTransaction: response('12', 'Invalid transaction'),
  invalidAmount: response('13', 'Invalid amount'),
  invalidCardNumber: response('14', 'Invalid card number'),
  authenticationRequired: response('1A', 'Additional customer authentication required'),
  alreadyCaptured: response('21', 'No action taken, captured already'),
  lostCard: response('41', 'Lost card'),
  stolenCard: response('43', 'Stolen card'),
  insufficientFunds: response('51', 'Insufficient funds'),
  expiredCard: response('54', 'Expired card'),
  refundNotPermitted: response('57', 'Refund not permitted to cardholder'),
  captureNotPermitted: response('58', 'Capture not permitted to acquirer'),
  suspectedFraud: response('59', 'Suspected fraud'),
  duplicate: response('94', 'Duplicate transaction'),
  systemMalfunction: response('96', 'System malfunction'),
  securityCodeMismatch: response('N7', 'Card security code mismatch'),
} as const;

/** The gateway's stored verdict; a pending one is approved at `settlesAtMs`. */
export type Verdict =
  | { readonly kind: 'approved'; readonly processorResponse: ProcessorResponse }
  | { readonly kind: 'declined'; readonly code: DeclineCode; readonly processorResponse: ProcessorResponse }
  | { readonly kind: 'pending'; readonly settlesAtMs: number };

export const APPROVED: Verdict = { kind: 'approved', processorResponse: RESPONSES.approved };

export function declined(code: DeclineCode, processorResponse: ProcessorResponse): Verdict {
  return { kind: 'declined', code, processorResponse };
}
