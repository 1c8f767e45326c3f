import { createHash, createHmac } from 'node:crypto';

export interface SignedFields {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly timestamp: string;
  readonly merchantId: string;
  readonly idempotencyKey: string;
  readonly body: string | Uint8Array;
}

/** The merchant's side of X-Signature, written from the published contract and not with the service's code. */
export function signatureOf(secret: string, fields: SignedFields): string {
  const bodyHash = createHash('sha256').update(fields.body).digest('hex');
  const lines = [fields.method, fields.path, fields.timestamp, fields.merchantId, fields.idempotencyKey, bodyHash];
  return `sha256=${createHmac('sha256', secret).update(lines.join('\n')).digest('hex')}`;
}
