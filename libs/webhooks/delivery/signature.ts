/**
 * The signatures by which a receiver verifies our webhooks: `X-Signature`, and the headers of Standard Webhooks, which
 * also cover the id and the time and so protect against replay.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';

/** How far the timestamp may be from the receiver's clock. */
export const WEBHOOK_TIMESTAMP_TOLERANCE_SECONDS = 300;

export interface WebhookSecrets {
  /** As issued: `whsec_` and base64. */
  readonly current: string;
  /** Replaced secrets whose grace is not over, oldest first. */
  readonly previous: readonly string[];
}

export interface WebhookToSign {
  readonly secrets: WebhookSecrets;
  /** Exactly the bytes that are sent. A string means its UTF-8 bytes. */
  readonly body: string | Uint8Array;
  /** `whd_…`: the same for every attempt and redelivery of one event. */
  readonly webhookId: string;
  readonly eventType: string;
  /** The event's revision in its payment's stream. */
  readonly eventSequence: number;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** The time of this attempt, whole seconds since the Unix epoch. */
  readonly timestampSeconds: number;
}

/** Every header of a webhook except those of the connection and `User-Agent`, which the HTTP client adds. */
export function webhookHeaders(webhook: WebhookToSign): Record<string, string> {
  const { secrets, body, webhookId, timestampSeconds } = webhook;
  const { current, previous } = secrets;
  const signed = { webhookId, timestampSeconds, body };
  // X-Signature holds a single value: during the grace it is made with the oldest secret, which receivers still check.
  // Receivers that need all of them read webhook-signature.
  const standard = [current, ...previous.toReversed()].map((secret) => standardSignature(secret, signed));
  return {
    'Content-Type': 'application/json',
    'X-Webhook-ID': webhookId,
    'X-Event-Type': webhook.eventType,
    'X-Event-Sequence': String(webhook.eventSequence),
    'X-Webhook-Attempt': String(webhook.attempt),
    'X-Signature': bodySignature(previous[0] ?? current, body),
    'webhook-id': webhookId,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': standard.join(' '),
  };
}

/** `sha256=<hex>`, keyed with the UTF-8 bytes of the secret as issued. */
export function bodySignature(secret: string, body: string | Uint8Array): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** `v1,<base64>` over `id.timestamp.body`, keyed with the decoded bytes of the part after `whsec_`. */
export function standardSignature(
  secret: string,
  signed: {
    readonly webhookId: string;
    readonly timestampSeconds: number;
    readonly body: string | Uint8Array;
  },
): string {
  const hmac = createHmac('sha256', standardKey(secret));
  hmac.update(`${signed.webhookId}.${signed.timestampSeconds}.`).update(signed.body);
  return `v1,${hmac.digest('base64')}`;
}

/** Whether `X-Signature` matches this body; false for any other spelling of the header. For receivers. */
export function verifyBodySignature(secret: string, body: string | Uint8Array, header: string | undefined): boolean {
  return header !== undefined && equalInConstantTime(header, bodySignature(secret, body));
}

/**
 * Whether the Standard Webhooks headers match this body and are recent; one valid signature among several is enough.
 * For receivers. `headers` has lower-case names.
 */
export function verifyStandardWebhook(
  secret: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string | undefined>>,
  nowSeconds: number,
): boolean {
  const webhookId = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (webhookId === undefined || signatures === undefined) return false;
  if (timestamp === undefined || !/^(0|[1-9]\d{0,11})$/.test(timestamp)) return false;
  const timestampSeconds = Number(timestamp);
  if (Math.abs(nowSeconds - timestampSeconds) > WEBHOOK_TIMESTAMP_TOLERANCE_SECONDS) return false;
  const expected = standardSignature(secret, { webhookId, timestampSeconds, body });
  return signatures.split(' ').some((signature) => equalInConstantTime(signature, expected));
}

/**
 * `Buffer.from(…, 'base64')` skips invalid characters, so the text is checked first: a corrupted secret must not sign.
 */
function standardKey(secret: string): Buffer {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : '';
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) throw new Error('a webhook secret is whsec_ and base64');
  return Buffer.from(encoded, 'base64');
}

function equalInConstantTime(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
