import type { Currency } from '@app/money';

/** A sum as it is handed to the gateway. */
export interface GatewayAmount {
  readonly amountMinor: bigint;
  readonly currency: Currency;
}

/** The card as the customer gave it. It goes to `register` and nowhere else, and is never written. */
export interface CardDetails {
  readonly number: string;
  readonly expiryMonth: string;
  readonly expiryYear: string;
  readonly cvv: string;
  readonly holderName?: string;
}

/** What the risk check may look at. Never stored by us. */
export interface RiskData {
  readonly ipAddress?: string;
  readonly deviceFingerprint?: string;
  readonly geoLocation?: { readonly country?: string; readonly city?: string };
}

export interface RegisterRequest {
  /** Our payment id: with the fingerprint it is the key of the registration. */
  readonly paymentId: string;
  readonly fingerprint: string;
  readonly merchantId: string;
  /** Shown to the customer on the authentication page. */
  readonly merchantName: string;
  readonly orderId: string;
  /** What the payment is for, in the merchant's words. Shown there too. */
  readonly description?: string;
  readonly amount: GatewayAmount;
  readonly card: CardDetails;
  readonly riskData?: RiskData;
  /** Where the customer goes after the authentication. */
  readonly returnUrl?: string;
  /** When the customer's time is over, ms since the epoch. */
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

/** What became of the customer's action. */
export type ChallengeState = 'pending' | 'succeeded' | 'failed' | 'expired';

/** Why the gateway said no; shown to merchants as the payment's error code. */
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

/** The processor's own words, shown to merchants as they are. */
export interface ProcessorResponse {
  readonly code: string;
  readonly message: string;
}

/** The gateway's word on one transaction. It never changes once it is approved or declined. */
export type TransactionOutcome =
  | { readonly kind: 'approved'; readonly processorResponse: ProcessorResponse }
  | { readonly kind: 'declined'; readonly code: DeclineCode; readonly processorResponse: ProcessorResponse }
  /** Accepted, to be decided later: inquire. */
  | { readonly kind: 'pending' };

export type InquiryOutcome = TransactionOutcome | { readonly kind: 'not-found' };

export interface TransactionRequest {
  /** The id of this transaction, the same for ever: the gateway acts once for each reference. */
  readonly reference: string;
  readonly gatewayReference: string;
  readonly amount: GatewayAmount;
}

/** The gateway refused to take the request at all, and did nothing: it may be sent again later. */
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
 * The processor behind a payment. Every call but `register` names its transaction's reference; repeating a call with the
 * same reference gives the first outcome and moves no more money. `signal` bounds the wait; an aborted call has an
 * unknown outcome.
 */
export abstract class PaymentGateway {
  /**
   * Hands over the card, asks for the risk and for what the customer must do. Moves no money, and lapses after 7 days
   * unused. The same payment id and fingerprint give the first registration again; a later `expiresAtMs` than before gives
   * the customer that much longer, unless they have answered.
   *
   * @throws GatewayUnavailableError, GatewayOutcomeUnknownError (harmless here: register again)
   */
  abstract register(request: RegisterRequest, signal: AbortSignal): Promise<Registration>;

  /** What the customer has done so far. */
  abstract challengeState(gatewayReference: string, signal: AbortSignal): Promise<ChallengeState>;

  /** Reserves the amount on the card. A lapsed or voided registration is declined with PROCESSING_ERROR. */
  abstract authorize(request: TransactionRequest, signal: AbortSignal): Promise<TransactionOutcome>;

  /** Takes the amount, at most once for each authorization; what isn't taken is released. */
  abstract capture(request: TransactionRequest, signal: AbortSignal): Promise<TransactionOutcome>;

  /**
   * Releases the authorization, or closes a registration that never came to one, so that a late authorization is
   * declined. Declined when a capture has been approved.
   */
  abstract void(request: TransactionRequest, signal: AbortSignal): Promise<TransactionOutcome>;

  /** Gives captured money back, at most what was captured and not yet given back. */
  abstract refund(request: TransactionRequest, signal: AbortSignal): Promise<TransactionOutcome>;

  /** What became of the transaction with this reference; `not-found` when the gateway never heard of it. */
  abstract inquire(reference: string, signal: AbortSignal): Promise<InquiryOutcome>;
}
