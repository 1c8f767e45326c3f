import type { Currency } from '@app/money';

/** An amount as passed to the gateway. */
export interface GatewayAmount {
  readonly amountMinor: bigint;
  readonly currency: Currency;
}

/** The card as the customer entered it. It is passed only to `register` and never stored. */
export interface CardDetails {
  readonly number: string;
  readonly expiryMonth: string;
  readonly expiryYear: string;
  readonly cvv: string;
  readonly holderName?: string;
}

/** Input for the risk check. Never stored by this service. */
export interface RiskData {
  readonly ipAddress?: string;
  readonly deviceFingerprint?: string;
  readonly geoLocation?: { readonly country?: string; readonly city?: string };
}

export interface RegisterRequest {
  /** Our payment id; together with the fingerprint, it is the registration's key. */
  readonly paymentId: string;
  readonly fingerprint: string;
  readonly merchantId: string;
  /** Shown to the customer on the authentication page. */
  readonly merchantName: string;
  readonly orderId: string;
  /** What the payment is for, in the merchant's words. Also shown on that page. */
  readonly description?: string;
  readonly amount: GatewayAmount;
  readonly card: CardDetails;
  readonly riskData?: RiskData;
  /** Where the customer goes after the authentication. */
  readonly returnUrl?: string;
  /** When the customer's time ends, in ms since the epoch. */
  readonly expiresAtMs: number;
}

export interface NextAction {
  readonly type: '3DS_AUTHENTICATION';
  readonly redirectUrl: string;
  readonly fallbackUrl: string;
}

export interface Registration {
  readonly gatewayReference: string;
  /** 0 (harmless) to 100. */
  readonly riskScore: number;
  readonly riskLevel: 'LOW' | 'MEDIUM' | 'HIGH';
  readonly nextAction: NextAction | null;
}

/** The result of the customer's action. */
export type ChallengeState = 'pending' | 'succeeded' | 'failed' | 'expired';

/** Why the gateway declined; shown to merchants as the payment's error code. */
export type DeclineCode =
  | 'CARD_DECLINED'
  | 'INSUFFICIENT_FUNDS'
  | 'LOST_CARD'
  | 'STOLEN_CARD'
  | 'EXPIRED_CARD'
  | 'INCORRECT_CVC'
  | 'PROCESSING_ERROR'
  | 'RISK_BLOCKED'
  | 'CAPTURE_REFUSED';

/** The processor's own code and message, shown to merchants unchanged. */
export interface ProcessorResponse {
  readonly code: string;
  readonly message: string;
}

/** The gateway's outcome for one transaction. Once approved or declined, it never changes. */
export type TransactionOutcome =
  | { readonly kind: 'approved'; readonly processorResponse: ProcessorResponse }
  | { readonly kind: 'declined'; readonly code: DeclineCode; readonly processorResponse: ProcessorResponse }
  /** Accepted, but not decided yet: inquire later. */
  | { readonly kind: 'pending' };

export type InquiryOutcome = TransactionOutcome | { readonly kind: 'not-found' };

export interface TransactionRequest {
  /** The permanent id of this transaction: the gateway acts once per reference. */
  readonly reference: string;
  readonly gatewayReference: string;
  readonly amount: GatewayAmount;
}

/** Why a payment is disputed; shown to merchants. */
export type DisputeReason =
  | 'FRAUDULENT'
  | 'UNRECOGNIZED'
  | 'DUPLICATE'
  | 'PRODUCT_NOT_RECEIVED'
  | 'PRODUCT_UNACCEPTABLE'
  | 'SUBSCRIPTION_CANCELLED'
  | 'CREDIT_NOT_PROCESSED'
  | 'GENERAL';

/**
 * A dispute of a captured payment, as it stands. Only its status changes, and only once: a payment that is disputed
 * again has another dispute.
 */
export interface GatewayDispute {
  /** The gateway's permanent name for the dispute. */
  readonly disputeReference: string;
  readonly gatewayReference: string;
  readonly paymentId: string;
  readonly status: 'OPEN' | 'WON' | 'LOST';
  /** What the gateway withdrew, in the payment's currency; returned if the dispute is won. */
  readonly amount: GatewayAmount;
  /** What the gateway charges for the dispute, in the same currency. Never returned. */
  readonly feeMinor: bigint;
  readonly reason: DisputeReason;
  /** Until when evidence is accepted, in ms since the epoch; null if there is nothing to prove. */
  readonly evidenceDueAtMs: number | null;
}

/** What changed at the gateway's disputes, the oldest change first. */
export interface DisputeChanges {
  /** Each dispute as it stands, or as it stood right after the change. */
  readonly disputes: readonly GatewayDispute[];
  /** Where the next page begins; null if nothing ever changed. */
  readonly cursor: string | null;
  readonly hasMore: boolean;
}

/** The gateway did not accept the request and did nothing: it may be sent again later. */
export class GatewayUnavailableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'GatewayUnavailableError';
  }
}

/** No answer came in time, or the connection broke: the gateway may have acted. Inquire before anything else. */
export class GatewayOutcomeUnknownError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'GatewayOutcomeUnknownError';
  }
}

/**
 * The processor behind a payment. Every transaction has a reference; repeating a call with the same reference returns
 * the first outcome and moves no more money. `signal` bounds the wait; an aborted call has an unknown outcome.
 */
export abstract class PaymentGateway {
  /**
   * Hands the card to the gateway, which returns the risk and what the customer must do. Moves no money; expires after
   * 7 days if unused. The same payment id and fingerprint return the first registration again; a later `expiresAtMs`
   * extends the customer's time, unless they have already answered.
   *
   * @throws GatewayUnavailableError, GatewayOutcomeUnknownError (harmless here: register again)
   */
  abstract register(request: RegisterRequest, signal: AbortSignal): Promise<Registration>;

  /** The state of the customer's authentication. */
  abstract challengeState(gatewayReference: string, signal: AbortSignal): Promise<ChallengeState>;

  /** Reserves the amount on the card. Declined with PROCESSING_ERROR if the registration has expired or was voided. */
  abstract authorize(request: TransactionRequest, signal: AbortSignal): Promise<TransactionOutcome>;

  /** Takes the amount, at most once per authorization; the rest is released. */
  abstract capture(request: TransactionRequest, signal: AbortSignal): Promise<TransactionOutcome>;

  /**
   * Releases the authorization, or closes a registration that has none, so that a late authorization is declined.
   * Declined if a capture has been approved.
   */
  abstract void(request: TransactionRequest, signal: AbortSignal): Promise<TransactionOutcome>;

  /** Gives captured money back, up to the captured amount less earlier refunds. */
  abstract refund(request: TransactionRequest, signal: AbortSignal): Promise<TransactionOutcome>;

  /** The outcome of the transaction with this reference; `not-found` if the gateway has never seen it. */
  abstract inquire(reference: string, signal: AbortSignal): Promise<InquiryOutcome>;

  /** The disputes of one payment, the oldest first; none if the gateway does not know the reference. */
  abstract disputesOf(gatewayReference: string, signal: AbortSignal): Promise<readonly GatewayDispute[]>;

  /**
   * A page of what changed after the cursor, over all payments. Nothing is left out if changes go on meanwhile; a change
   * may come twice. Without a cursor, and with one that the gateway does not know, it begins with the first change.
   */
  abstract disputeChanges(cursor: string | null, signal: AbortSignal): Promise<DisputeChanges>;
}
