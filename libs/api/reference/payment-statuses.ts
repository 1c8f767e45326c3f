import type { PaymentStatus, PublicEventType, Refund } from '@app/payments/domain';

export interface StatusDoc {
  readonly meaning: string;
  /** The webhook sent when the status is reached; null if none. */
  readonly webhook: PublicEventType | null;
}

export interface Transition<Status extends string> {
  readonly from: Status;
  readonly to: Status;
  /** A short label for the diagram. */
  readonly label: string;
  readonly when: string;
}

/**
 * In the order in which a payment may reach them. A spec checks the statuses and their transitions against the domain.
 */
export const PAYMENT_STATUSES: Readonly<Record<PaymentStatus, StatusDoc>> = {
  PROCESSING: {
    meaning: 'The payment is created. The customer has to authenticate, or the gateway is working on it.',
    webhook: null,
  },
  AUTHORIZED: {
    meaning:
      'The amount is reserved on the card. With `captureMethod: AUTOMATIC` the capture follows at once. With `MANUAL` it waits for you.',
    webhook: 'payment.authorized',
  },
  COMPLETED: { meaning: 'The money is captured. You can refund it.', webhook: 'payment.completed' },
  FAILED: {
    meaning: 'The payment did not succeed. No money is captured. `error` says why.',
    webhook: 'payment.failed',
  },
  CANCELLED: { meaning: 'You cancelled the payment. No money is captured.', webhook: 'payment.cancelled' },
  EXPIRED: { meaning: 'The payment was not finished in time. No money is captured.', webhook: 'payment.expired' },
};

export const PAYMENT_TRANSITIONS: readonly Transition<PaymentStatus>[] = [
  {
    from: 'PROCESSING',
    to: 'AUTHORIZED',
    label: 'authorized',
    when: 'The issuer authorizes the amount.',
  },
  {
    from: 'PROCESSING',
    to: 'FAILED',
    label: 'declined',
    when: 'The issuer declines, the customer fails to authenticate, or the payment cannot be processed.',
  },
  { from: 'PROCESSING', to: 'CANCELLED', label: 'you cancel', when: 'You cancel the payment.' },
  {
    from: 'PROCESSING',
    to: 'EXPIRED',
    label: '30 minutes',
    when: 'The customer does not authenticate within 30 minutes.',
  },
  { from: 'AUTHORIZED', to: 'FAILED', label: 'capture refused', when: 'The capture is refused. The hold is released.' },
  { from: 'AUTHORIZED', to: 'CANCELLED', label: 'you cancel', when: 'You cancel the payment. The hold is released.' },
  {
    from: 'AUTHORIZED',
    to: 'EXPIRED',
    label: '7 days',
    when: 'You do not capture the payment within 7 days. The hold is released.',
  },
  { from: 'AUTHORIZED', to: 'COMPLETED', label: 'captured', when: 'The capture succeeds.' },
];

export const REFUND_STATUSES: Readonly<Record<Refund['status'], StatusDoc>> = {
  PENDING: {
    meaning: 'The refund is on its way. Its amount is reserved and cannot be refunded again.',
    webhook: null,
  },
  COMPLETED: { meaning: 'The money is given back.', webhook: 'refund.completed' },
  FAILED: { meaning: 'The refund did not succeed. Its amount can be refunded again.', webhook: 'refund.failed' },
};

export const REFUND_TRANSITIONS: readonly Transition<Refund['status']>[] = [
  { from: 'PENDING', to: 'COMPLETED', label: 'succeeds', when: 'The gateway accepts the refund.' },
  { from: 'PENDING', to: 'FAILED', label: 'refused', when: 'The gateway refuses the refund. `error` says why.' },
];

export function isFinal(status: string, transitions: readonly Transition<string>[]): boolean {
  return !transitions.some(({ from }) => from === status);
}
