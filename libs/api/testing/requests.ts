import { createHmac } from 'node:crypto';
import { signedText } from '@app/platform/http/authentication/signature';
import { MERCHANT_TOKEN, PAYMENT_ID, SIGNING_SECRETS } from './http-fixture';

export type Headers = Record<string, string>;

export interface TestRequest {
  method: 'GET' | 'POST' | 'HEAD' | 'OPTIONS' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers: Headers;
  payload?: string | Buffer;
}

export const NOW = '2030-01-01T00:00:00.000Z';

export const PAYMENT = {
  amount: { value: '12.50', currency: 'EUR' },
  order: { orderId: 'order-1' },
  payer: {
    payerId: 'payer-1',
    paymentMethod: {
      type: 'credit_card',
      card: { number: '4111111111111111', expiryMonth: '12', expiryYear: '2031', cvv: '737' },
    },
  },
} as const;

/** Signs the request with its current headers. */
export function sign(request: TestRequest, secret: string = SIGNING_SECRETS[0]): TestRequest {
  const { method, url, headers, payload } = request;
  const text = signedText({
    method,
    pathWithQuery: url,
    timestamp: headers['x-timestamp'] ?? '',
    merchantId: headers['x-merchant-id'] ?? '',
    idempotencyKey: headers['idempotency-key'] ?? '',
    body: Buffer.from(payload ?? ''),
  });
  headers['x-signature'] = `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
  return request;
}

/** A valid create; `change` is applied before it is signed. */
export function createRequest(change: (request: TestRequest) => void = () => undefined): TestRequest {
  const request: TestRequest = {
    method: 'POST',
    url: '/api/v2/payments',
    headers: {
      authorization: `Bearer ${MERCHANT_TOKEN}`,
      'content-type': 'application/json',
      'x-request-id': 'req-1',
      'x-merchant-id': 'mer_demo',
      'x-timestamp': NOW,
      'idempotency-key': 'key-1',
    },
    payload: JSON.stringify(PAYMENT),
  };
  change(request);
  return sign(request);
}

export function refundRequest(body: unknown = { amount: { value: '5.00', currency: 'EUR' } }): TestRequest {
  return {
    method: 'POST',
    url: `/api/v2/payments/${PAYMENT_ID}/refunds`,
    headers: {
      authorization: `Bearer ${MERCHANT_TOKEN}`,
      'content-type': 'application/json',
      'x-request-id': 'req-1',
      'idempotency-key': 'key-1',
    },
    payload: JSON.stringify(body),
  };
}

/** Without a body or its headers. */
export function cancelRequest(change: (request: TestRequest) => void = () => undefined): TestRequest {
  const request: TestRequest = {
    method: 'POST',
    url: `/api/v2/payments/${PAYMENT_ID}/cancel`,
    headers: { authorization: `Bearer ${MERCHANT_TOKEN}`, 'x-request-id': 'req-1', 'idempotency-key': 'key-1' },
  };
  change(request);
  return request;
}

export function getRequest(url = `/api/v2/payments/${PAYMENT_ID}`): TestRequest {
  return { method: 'GET', url, headers: { authorization: `Bearer ${MERCHANT_TOKEN}`, 'x-request-id': 'req-1' } };
}

export function batchRequest(paymentIds: unknown): TestRequest {
  return {
    method: 'POST',
    url: '/api/v2/payments/batch-query',
    headers: { authorization: `Bearer ${MERCHANT_TOKEN}`, 'content-type': 'application/json', 'x-request-id': 'req-1' },
    payload: JSON.stringify({ paymentIds }),
  };
}
