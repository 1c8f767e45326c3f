import type { EncryptedSecret } from '@app/keys/domain';
import { type StoredEvent, unreachable } from '@app/event-sourcing';
import type { AccessTokenIssued, MerchantEvent, MerchantRegistered, MerchantSettings, ReplacedSecret } from './events';
import type { Scope } from './scopes';

export interface AccessToken {
  readonly tokenId: string;
  readonly tokenHash: string;
  /** The operator's name for it; null if it has none. */
  readonly name: string | null;
  readonly scopes: readonly Scope[];
  readonly issuedAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

/** A secret with the ones it replaced, each valid until the end of grace that was set when it was replaced. */
export interface RotatedSecret {
  readonly current: EncryptedSecret;
  /** Oldest first. Some may no longer be valid: `graceSecrets` returns those that are. */
  readonly previous: readonly ReplacedSecret[];
  /** Rotations with an Idempotency-Key, with the end of grace that each set for the replaced secret. */
  readonly requests: readonly { readonly requestId: string; readonly graceEndsAt: string }[];
}

/** A merchant's valid secrets. */
export interface LiveSecrets {
  readonly signingSecret: EncryptedSecret;
  readonly previousSigningSecrets: readonly ReplacedSecret[];
  readonly webhookSecret: EncryptedSecret;
  readonly previousWebhookSecrets: readonly ReplacedSecret[];
}

/** Since when the merchant is suspended, and why. */
export interface Suspension {
  readonly since: string;
  readonly reason: string | null;
}

export interface Merchant {
  readonly merchantId: string;
  readonly name: string;
  readonly registeredAt: string;
  readonly settings: MerchantSettings;
  /** Null while it is active. */
  readonly suspension: Suspension | null;
  readonly signingSecret: RotatedSecret;
  readonly webhookSecret: RotatedSecret;
  /** By token id, including revoked tokens. */
  readonly tokens: Readonly<Record<string, AccessToken>>;
}

/** The token with that id, or undefined. Ids come from clients, so names inherited by every object must not match. */
export function findToken(merchant: Merchant, tokenId: string): AccessToken | undefined {
  return Object.hasOwn(merchant.tokens, tokenId) ? merchant.tokens[tokenId] : undefined;
}

/** Whether the token is valid. `now` is RFC 3339 UTC with milliseconds, so that texts compare like times. */
export function isLiveToken(token: AccessToken, now: string): boolean {
  return token.revokedAt === null && (token.expiresAt === null || now < token.expiresAt);
}

/** The replaced secrets whose grace is not over, oldest first. */
export function graceSecrets({ previous }: RotatedSecret, now: string): readonly ReplacedSecret[] {
  return previous.filter(({ graceEndsAt }) => now < graceEndsAt);
}

/** The valid secrets: those that a process needs its master key for. */
export function liveSecrets({ signingSecret, webhookSecret }: Merchant, now: string): LiveSecrets {
  return {
    signingSecret: signingSecret.current,
    previousSigningSecrets: graceSecrets(signingSecret, now),
    webhookSecret: webhookSecret.current,
    previousWebhookSecrets: graceSecrets(webhookSecret, now),
  };
}

/** All of them, in a fixed order. */
export function encryptedSecretsOf(live: LiveSecrets): readonly EncryptedSecret[] {
  const { signingSecret, previousSigningSecrets, webhookSecret, previousWebhookSecrets } = live;
  const replaced = [...previousSigningSecrets, ...previousWebhookSecrets].map(({ secret }) => secret);
  return [signingSecret, webhookSecret, ...replaced];
}

/** The state after the event. Total: it never rejects history; an event that can't apply changes nothing. */
export function evolve(merchant: Merchant | null, event: StoredEvent<MerchantEvent>): Merchant | null {
  const at = event.metadata.recordedAt;
  if (event.type === 'MerchantRegistered') return merchant ?? begin(event.data, at);
  if (merchant === null) return null;
  switch (event.type) {
    case 'AccessTokenIssued':
      return withToken(merchant, issued(event.data, at));
    case 'AccessTokenRevoked': {
      const token = findToken(merchant, event.data.tokenId);
      return token === undefined ? merchant : withToken(merchant, { ...token, revokedAt: token.revokedAt ?? at });
    }
    case 'SigningSecretRotated': {
      const { signingSecret } = event.data;
      return { ...merchant, signingSecret: replaced(merchant.signingSecret, signingSecret, event.data, at) };
    }
    case 'WebhookSecretRotated': {
      const { webhookSecret } = event.data;
      return { ...merchant, webhookSecret: replaced(merchant.webhookSecret, webhookSecret, event.data, at) };
    }
    case 'MerchantSecretsResealed': {
      const { signingSecret, previousSigningSecret, previousSigningSecrets } = event.data;
      const { webhookSecret, previousWebhookSecret, previousWebhookSecrets } = event.data;
      return {
        ...merchant,
        signingSecret: reencrypted(
          merchant.signingSecret,
          signingSecret,
          previousSigningSecrets,
          previousSigningSecret,
        ),
        webhookSecret: reencrypted(
          merchant.webhookSecret,
          webhookSecret,
          previousWebhookSecrets,
          previousWebhookSecret,
        ),
      };
    }
    case 'MerchantSettingsChanged': {
      const { requireSignatures, rotationGraceSeconds, feeSchedule } = event.data;
      return { ...merchant, settings: { requireSignatures, rotationGraceSeconds, feeSchedule } };
    }
    case 'MerchantRenamed':
      return { ...merchant, name: event.data.name };
    case 'MerchantSuspended':
      return { ...merchant, suspension: merchant.suspension ?? { since: at, reason: event.data.reason } };
    case 'MerchantReinstated':
      return { ...merchant, suspension: null };
    default:
      return unreachable(event);
  }
}

function begin(registered: MerchantRegistered['data'], at: string): Merchant {
  const { merchantId, name, signingSecret, webhookSecret } = registered;
  const { requireSignatures, rotationGraceSeconds, feeSchedule } = registered;
  return {
    merchantId,
    name,
    registeredAt: at,
    settings: { requireSignatures, rotationGraceSeconds, feeSchedule },
    suspension: null,
    signingSecret: { current: signingSecret, previous: [], requests: [] },
    webhookSecret: { current: webhookSecret, previous: [], requests: [] },
    tokens: {},
  };
}

function issued(data: AccessTokenIssued['data'], at: string): AccessToken {
  const { tokenId, tokenHash, scopes, expiresAt, name = null } = data;
  return { tokenId, tokenHash, name, scopes, issuedAt: at, expiresAt, revokedAt: null };
}

function withToken(merchant: Merchant, token: AccessToken): Merchant {
  return { ...merchant, tokens: { ...merchant.tokens, [token.tokenId]: token } };
}

/** @param latest the latest replaced secret, for events that hold no other. */
function reencrypted(
  secret: RotatedSecret,
  current: EncryptedSecret,
  previous: readonly ReplacedSecret[] | undefined,
  latest: EncryptedSecret | null,
): RotatedSecret {
  if (previous !== undefined) return { ...secret, current, previous };
  const graceEndsAt = secret.previous.at(-1)?.graceEndsAt;
  const isReplaced = latest !== null && graceEndsAt !== undefined;
  return { ...secret, current, previous: isReplaced ? [{ secret: latest, graceEndsAt }] : [] };
}

/** Secrets whose grace is over by then are dropped. */
function replaced(
  secret: RotatedSecret,
  current: EncryptedSecret,
  { graceEndsAt, requestId }: { readonly graceEndsAt: string; readonly requestId?: string },
  at: string,
): RotatedSecret {
  const previous = [...graceSecrets(secret, at), { secret: secret.current, graceEndsAt }];
  const requests = requestId === undefined ? secret.requests : [...secret.requests, { requestId, graceEndsAt }];
  return { current, previous, requests };
}
