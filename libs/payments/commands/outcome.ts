import type { PaymentRejection } from '@app/payments/domain';
import type { Outcome } from '@app/platform/outcome';

export type RefusalCode = PaymentRejection | 'VALIDATION_FAILED' | 'IDEMPOTENCY_KEY_INVALID' | 'GATEWAY_UNAVAILABLE';

/** The outcome of a merchant's command on a payment. */
export type PaymentOutcome<T> = Outcome<T, RefusalCode>;
