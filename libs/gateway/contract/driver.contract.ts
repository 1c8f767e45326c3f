import type { Currency } from '@app/money';

import type { NextAction, PaymentGateway, RegisterRequest, Registration, TransactionRequest } from '../port';

/** What an adapter provides to the suite: a gateway backed by the sandbox, on a clock that the suite controls. */
export interface GatewayUnderTest {
  readonly gateway: PaymentGateway;
  /** Advances the gateway's clock. */
  advance(ms: number): void;
  nowMs(): number;
  /** Does what the customer does at `nextAction`. */
  answerChallenge(nextAction: NextAction, decision: 'approve' | 'decline'): Promise<void>;
  /** The approved transactions of a payment, according to the gateway's own books: number and total. */
  totals(paymentId: string): Promise<Totals>;
  /** Stops the gateway and returns another one with the same books. */
  restart(): Promise<PaymentGateway>;
  close(): Promise<void>;
}

export interface Total {
  readonly count: number;
  readonly amountMinor: bigint;
}

export interface Totals {
  readonly authorizations: Total;
  readonly captures: Total;
  readonly voids: Total;
  readonly refunds: Total;
}

export const EUR = 'EUR' as Currency;
export const JPY = 'JPY' as Currency;
export const AMOUNT_MINOR = 12_50n;
export const DAY_MS = 24 * 60 * 60 * 1000;
export const NO_LIMIT = new AbortController().signal;

export const GOOD = '4111111111111111';
export const CHALLENGED = '4000000000003220';

export const approved = { kind: 'approved', processorResponse: { code: '00', message: 'Approved' } };
export const declined = (code: string, responseCode: string) => ({
  kind: 'declined',
  code,
  processorResponse: { code: responseCode, message: expect.any(String) },
});
export const once = (amountMinor: bigint): Total => ({ count: 1, amountMinor });
export const never: Total = { count: 0, amountMinor: 0n };

/** One payment, driven by the suite: its requests by kind, with constant references. */
export class Payment {
  /** Constant, however often it is registered: half an hour after the payment was created. */
  readonly expiresAtMs: number;

  constructor(
    private readonly under: GatewayUnderTest,
    readonly id: string,
    readonly card: string,
  ) {
    this.expiresAtMs = under.nowMs() + 30 * 60 * 1000;
  }

  request(changes: Partial<RegisterRequest> = {}): RegisterRequest {
    return {
      paymentId: this.id,
      fingerprint: 'fingerprint-1',
      merchantId: 'merchant_1',
      merchantName: 'Tea & Sons',
      orderId: 'order-1',
      description: 'Two boxes of tea',
      amount: { amountMinor: AMOUNT_MINOR, currency: EUR },
      card: { number: this.card, expiryMonth: '12', expiryYear: '2030', cvv: '737', holderName: 'Ada Lovelace' },
      riskData: {
        ipAddress: '203.0.113.77',
        deviceFingerprint: 'device-8d1f',
        geoLocation: { country: 'NZ', city: 'Oamaru' },
      },
      returnUrl: 'https://shop.example/return',
      expiresAtMs: this.expiresAtMs,
      ...changes,
    };
  }

  register(gateway = this.under.gateway): Promise<Registration> {
    return gateway.register(this.request(), NO_LIMIT);
  }

  async transaction(suffix: string, amountMinor = AMOUNT_MINOR): Promise<TransactionRequest> {
    const { gatewayReference } = await this.register();
    return { reference: `${this.id}_${suffix}`, gatewayReference, amount: { amountMinor, currency: EUR } };
  }

  async authorize() {
    return this.under.gateway.authorize(await this.transaction('auth'), NO_LIMIT);
  }

  async capture(amountMinor = AMOUNT_MINOR, suffix = 'capture') {
    return this.under.gateway.capture(await this.transaction(suffix, amountMinor), NO_LIMIT);
  }

  async void(suffix = 'void') {
    return this.under.gateway.void(await this.transaction(suffix), NO_LIMIT);
  }

  async refund(amountMinor = AMOUNT_MINOR, suffix = 'refund') {
    return this.under.gateway.refund(await this.transaction(suffix, amountMinor), NO_LIMIT);
  }

  inquire(suffix: string, gateway = this.under.gateway) {
    return gateway.inquire(`${this.id}_${suffix}`, NO_LIMIT);
  }

  totals(): Promise<Totals> {
    return this.under.totals(this.id);
  }

  async answer(decision: 'approve' | 'decline'): Promise<void> {
    const { nextAction } = await this.register();
    if (nextAction === null) throw new Error('Nothing was asked of the customer');
    await this.under.answerChallenge(nextAction, decision);
  }
}

/** What each part of the suite uses; `under` is available once its tests run. */
export interface Suite {
  readonly under: () => GatewayUnderTest;
  /** A new payment for every test. */
  readonly payment: (card: string) => Payment;
}
