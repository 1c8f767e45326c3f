import type { Amount } from '@app/money';
import type {
  DisputeReason,
  DisputeStatus,
  PaymentCreated,
  PaymentStatus,
  TransactionStatus,
} from '@app/payments/domain';

/** A payment as shown by reads. */
export interface PaymentBody {
  readonly paymentId: string;
  /** `DAMAGED`: no other field of the payment can be trusted. */
  readonly status: PaymentStatus | 'DAMAGED';
  readonly amount: Amount;
  readonly timeline: Readonly<Record<string, string>> & { readonly createdAt: string };
  readonly transactions: readonly TransactionBody[];
  readonly orderId: string;
  readonly payer: { readonly payerId: string; readonly maskedCardNumber: string };
  readonly captureMethod: PaymentCreated['data']['captureMethod'];
  readonly riskLevel: PaymentCreated['data']['riskLevel'];
  readonly nextAction?: NextActionBody;
  readonly capturedAmount: Amount;
  readonly refundedAmount: Amount;
  /** In the order in which they were recorded. */
  readonly disputes: readonly DisputeBody[];
  readonly merchantMetadata: Readonly<Record<string, string>>;
  readonly error?: ErrorBody;
}

/** The customer's next action, as long as they can take it. */
export interface NextActionBody {
  readonly type: '3DS_AUTHENTICATION';
  readonly expiresAt: string;
  /** Shown only when a single payment is read: anyone with one of these URLs can act as the customer. */
  readonly redirectUrl?: string;
  readonly fallbackUrl?: string;
}

export interface TransactionBody {
  readonly transactionId: string;
  readonly type: 'AUTHORIZATION' | 'CAPTURE' | 'VOID' | 'REFUND';
  /** In the payment's currency. */
  readonly amount: string;
  readonly status: TransactionStatus;
  readonly processorResponse?: { readonly code: string; readonly message: string };
}

export interface RefundBody {
  readonly refundId: string;
  readonly paymentId: string;
  readonly status: 'PENDING' | 'COMPLETED' | 'FAILED';
  readonly amount: Amount;
  readonly reason?: string;
  readonly referenceId?: string;
  readonly estimatedCompletion: string;
  readonly timeline: { readonly createdAt: string; readonly completedAt?: string; readonly failedAt?: string };
  readonly error?: ErrorBody;
}

export interface DisputeBody {
  readonly disputeId: string;
  readonly paymentId: string;
  readonly status: DisputeStatus;
  /** What the gateway withdrew; returned if the dispute is won. */
  readonly amount: Amount;
  /** What the gateway charges for the dispute, whoever wins it. */
  readonly fee: Amount;
  readonly reason: DisputeReason;
  readonly evidenceDueAt?: string;
  readonly timeline: { readonly createdAt: string; readonly wonAt?: string; readonly lostAt?: string };
}

export interface ErrorBody {
  readonly code: string;
  readonly message: string;
}
