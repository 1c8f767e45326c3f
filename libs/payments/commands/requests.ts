/** A create request as the client wrote it, after its shape was checked (types, lengths, patterns, unknown fields). */
export interface CreatePaymentRequest {
  readonly amount: AmountRequest;
  readonly order: {
    readonly orderId: string;
    readonly description?: string;
    readonly items?: readonly OrderItemRequest[];
  };
  readonly payer: {
    readonly payerId: string;
    readonly paymentMethod: { readonly type: 'credit_card'; readonly card: CardRequest };
  };
  readonly notifyUrl?: string;
  readonly returnUrl?: string;
  readonly riskData?: {
    readonly ipAddress?: string;
    readonly deviceFingerprint?: string;
    readonly geoLocation?: { readonly country?: string; readonly city?: string };
  };
  readonly captureMethod?: 'AUTOMATIC' | 'MANUAL';
  readonly merchantMetadata?: Readonly<Record<string, string>>;
}

export interface AmountRequest {
  readonly value: string;
  readonly currency: string;
}

export interface OrderItemRequest {
  readonly sku?: string;
  readonly name?: string;
  readonly quantity?: number;
  readonly unitPrice?: string;
}

export interface CardRequest {
  readonly number: string;
  readonly expiryMonth: string;
  readonly expiryYear: string;
  readonly cvv: string;
  readonly holderName?: string;
}

export interface CreateRefundRequest {
  readonly amount: AmountRequest;
  readonly reason?: string;
  readonly referenceId?: string;
  readonly notifyUrl?: string;
}

export interface CapturePaymentRequest {
  /** The full authorized amount when absent. */
  readonly amount?: AmountRequest;
}

export interface CancelPaymentRequest {
  readonly reason?: string;
}
