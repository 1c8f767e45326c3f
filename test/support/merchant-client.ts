import { randomUUID } from 'node:crypto';
import { recordAnswer } from './openapi-conformance';
import { signatureOf } from './signing';
import type { SandboxCredentials } from './service';
import { steadyFetch } from './steady-fetch';

export interface Answer<T = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
  readonly text: string;
}

export interface SendOptions {
  readonly key?: string;
  /** Null omits a header. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Sent as it is, instead of the body's JSON. */
  readonly raw?: string | Uint8Array;
}

/** A merchant's client, written from the published contract only. */
export class MerchantClient {
  constructor(
    readonly baseUrl: string,
    readonly credentials: SandboxCredentials,
    /** The merchant's clock. */
    private readonly nowMs: () => number = Date.now,
  ) {}

  createPayment(body: unknown, options: SendOptions = {}): Promise<Answer> {
    return this.send('POST', '/api/v2/payments', body, { key: randomUUID(), ...options }, true);
  }

  refund(paymentId: string, body: unknown, options: SendOptions = {}): Promise<Answer> {
    return this.send('POST', `/api/v2/payments/${paymentId}/refunds`, body, { key: randomUUID(), ...options }, false);
  }

  payment(paymentId: string, options: SendOptions = {}): Promise<Answer> {
    return this.send('GET', `/api/v2/payments/${paymentId}`, undefined, options, false);
  }

  readRefund(refundId: string, options: SendOptions = {}): Promise<Answer> {
    return this.send('GET', `/api/v2/refunds/${refundId}`, undefined, options, false);
  }

  batchQuery(paymentIds: unknown, options: SendOptions = {}): Promise<Answer> {
    return this.send('POST', '/api/v2/payments/batch-query', { paymentIds }, options, false);
  }

  async send(method: string, path: string, body: unknown, options: SendOptions, signed: boolean): Promise<Answer> {
    const bytes = options.raw ?? (body === undefined ? '' : JSON.stringify(body));
    const { merchantId, accessToken, signingSecret } = this.credentials;
    const timestamp = new Date(this.nowMs()).toISOString();
    const headers: Record<string, string | null> = {
      Authorization: `Bearer ${accessToken}`,
      'X-Request-ID': randomUUID(),
      ...(body === undefined && options.raw === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(options.key === undefined ? {} : { 'Idempotency-Key': options.key }),
      ...(signed ? { 'X-Merchant-ID': merchantId, 'X-Timestamp': timestamp } : {}),
      ...options.headers,
    };
    if (signed && headers['X-Signature'] === undefined) {
      headers['X-Signature'] = signatureOf(signingSecret, {
        method,
        path,
        timestamp: headers['X-Timestamp'] ?? '',
        merchantId: headers['X-Merchant-ID'] ?? '',
        idempotencyKey: headers['Idempotency-Key'] ?? '',
        body: bytes,
      });
    }
    const sent = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null);
    const hasBody = body !== undefined || options.raw !== undefined;
    const response = await steadyFetch(this.baseUrl + path, {
      method,
      headers: sent,
      ...(hasBody ? { body: typeof bytes === 'string' ? bytes : Buffer.from(bytes) } : {}),
    });
    const text = await response.text();
    recordAnswer(method, path, response.status, response.headers, text);
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (isJson ? JSON.parse(text) : {}) as Record<string, unknown>,
    };
  }
}

/** A create request that completes, with the given changes to card and amount. */
export function paymentRequest(
  change: {
    readonly card?: string;
    readonly value?: string;
    readonly currency?: string;
    readonly notifyUrl?: string;
    readonly returnUrl?: string;
    readonly extra?: Readonly<Record<string, unknown>>;
  } = {},
): Record<string, unknown> {
  const number = change.card ?? '4111111111111111';
  return {
    amount: { value: change.value ?? '129.90', currency: change.currency ?? 'EUR' },
    order: { orderId: 'order-1' },
    payer: {
      payerId: 'payer-1',
      paymentMethod: {
        type: 'credit_card',
        card: { number, expiryMonth: '12', expiryYear: '2030', cvv: number.startsWith('37') ? '1234' : '123' },
      },
    },
    ...(change.notifyUrl === undefined ? {} : { notifyUrl: change.notifyUrl }),
    ...(change.returnUrl === undefined ? {} : { returnUrl: change.returnUrl }),
    ...change.extra,
  };
}
