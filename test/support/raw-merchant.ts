import { randomUUID } from 'node:crypto';
import type { Ledger } from './ledger';
import { paymentRequest } from './merchant-client';
import { type RawAnswer, type RawRequest, sendRaw } from './raw-http';
import { signatureOf } from './signing';

export const CREATE = '/api/v2/payments';
/** The body of a create that completes. */
export const CREATE_BODY = JSON.stringify(paymentRequest());

type Headers = Readonly<Record<string, string | null>>;

/** A merchant whose every header and byte can be chosen. */
export class RawMerchant {
  constructor(private readonly ledger: Ledger) {}

  get token(): string {
    return this.ledger.client.credentials.accessToken;
  }

  get bearer(): string[] {
    return ['Authorization', `Bearer ${this.token}`];
  }

  /** Sends a request with these headers only; by default with the access token. */
  ask(method: string, path: string, headers: readonly string[] = this.bearer): Promise<RawAnswer> {
    return sendRaw(this.ledger.service.url, { method, path, headers });
  }

  /** A correctly signed create; then headers are replaced, omitted (null), or added as they are. */
  create(
    change: Headers = {},
    options: Partial<RawRequest> & { readonly more?: readonly string[] } = {},
  ): Promise<RawAnswer> {
    const { body = CREATE_BODY, path = CREATE, more = [], ...others } = options;
    const { merchantId, signingSecret } = this.ledger.client.credentials;
    const timestamp = new Date().toISOString();
    const idempotencyKey = change['Idempotency-Key'] === null ? '' : (change['Idempotency-Key'] ?? randomUUID());
    const headers: Headers = {
      Authorization: `Bearer ${this.token}`,
      'Content-Type': 'application/json',
      'X-Request-ID': 'raw-request',
      'X-Merchant-ID': merchantId,
      'X-Timestamp': timestamp,
      'Idempotency-Key': idempotencyKey,
      'X-Signature': signatureOf(signingSecret, { method: 'POST', path, timestamp, merchantId, idempotencyKey, body }),
      ...change,
    };
    const sent = Object.entries(headers).flatMap(([name, value]) => (value === null ? [] : [name, value]));
    return sendRaw(this.ledger.service.url, { method: 'POST', path, headers: [...sent, ...more], body, ...others });
  }

  /** A create that is signed for this timestamp, however it is written. */
  createAt(timestamp: string): Promise<RawAnswer> {
    const { merchantId, signingSecret } = this.ledger.client.credentials;
    const key = randomUUID();
    const fields = { method: 'POST', path: CREATE, timestamp, merchantId, idempotencyKey: key, body: CREATE_BODY };
    const signature = signatureOf(signingSecret, fields);
    return this.create({ 'X-Timestamp': timestamp, 'X-Signature': signature, 'Idempotency-Key': key });
  }
}

/** The time that many seconds from now. */
export function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString();
}

/** Checks what all error responses have in common; returns its status and code. */
export function errorOf(answer: RawAnswer): string {
  expect(answer.headers['content-type']).toMatch(/^application\/json\b/);
  const requestId = answer.headers['x-request-id'];
  expect(requestId).toMatch(/^[\x21-\x7e]{1,128}$/);
  const body = JSON.parse(answer.text) as { error: Record<string, unknown> };
  expect(Object.keys(body)).toEqual(['error']);
  const { code, message, details, ...others } = body.error;
  expect(others).toEqual({ requestId });
  expect(message).toEqual(expect.stringMatching(/^[A-Z].*\.$/));
  if (details !== undefined) expect(code).toBe('VALIDATION_FAILED');
  return `${answer.status} ${String(code)}`;
}
