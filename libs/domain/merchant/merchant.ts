import type { Sealed } from '@app/domain/data-key';
import { type StoredEvent, unreachable } from '@app/kernel';
import type { AccessTokenIssued, MerchantEvent, MerchantRegistered, MerchantSettings } from './events';
import type { Scope } from './scopes';

export interface AccessToken {
  readonly tokenId: string;
  readonly tokenHash: string;
  readonly scopes: readonly Scope[];
  readonly issuedAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

/** A secret and, while its grace lasts, the one that it replaced. */
export interface RotatedSecret {
  readonly current: Sealed;
  readonly previous: { readonly secret: Sealed; readonly graceEndsAt: string } | null;
}

/** A merchant's secrets as they stand now; a replaced one is null once its grace is over. */
export interface LiveSealed {
  readonly signingSecret: Sealed;
  readonly previousSigningSecret: Sealed | null;
  readonly webhookSecret: Sealed;
  readonly previousWebhookSecret: Sealed | null;
}

export interface Merchant {
  readonly merchantId: string;
  readonly name: string;
  readonly registeredAt: string;
  readonly settings: MerchantSettings;
  readonly signingSecret: RotatedSecret;
  readonly webhookSecret: RotatedSecret;
  /** By token id, revoked ones too. */
  readonly tokens: Readonly<Record<string, AccessToken>>;
}

/** The token of that id, or undefined. Ids come from outside: a name that every object has is no token. */
export function findToken(merchant: Merchant, tokenId: string): AccessToken | undefined {
  return Object.hasOwn(merchant.tokens, tokenId) ? merchant.tokens[tokenId] : undefined;
}

/** Whether the token lets its bearer in. `now` is RFC 3339 UTC with milliseconds, so that texts compare like times. */
export function isLiveToken(token: AccessToken, now: string): boolean {
  return token.revokedAt === null && (token.expiresAt === null || now < token.expiresAt);
}

/** The replaced secret, or null once its grace is over. */
export function previousSecret(secret: RotatedSecret, now: string): Sealed | null {
  return secret.previous !== null && now < secret.previous.graceEndsAt ? secret.previous.secret : null;
}

/** Everything sealed that still opens something: what a process needs its master key for. */
export function liveSecrets({ signingSecret, webhookSecret }: Merchant, now: string): LiveSealed {
  return {
    signingSecret: signingSecret.current,
    previousSigningSecret: previousSecret(signingSecret, now),
    webhookSecret: webhookSecret.current,
    previousWebhookSecret: previousSecret(webhookSecret, now),
  };
}

/** The state after the event. Total: it never rejects history, and an event that can't apply changes nothing. */
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
      const { signingSecret, graceEndsAt } = event.data;
      return { ...merchant, signingSecret: replaced(merchant.signingSecret, signingSecret, graceEndsAt) };
    }
    case 'WebhookSecretRotated': {
      const { webhookSecret, graceEndsAt } = event.data;
      return { ...merchant, webhookSecret: replaced(merchant.webhookSecret, webhookSecret, graceEndsAt) };
    }
    case 'MerchantSecretsResealed': {
      const { signingSecret, previousSigningSecret, webhookSecret, previousWebhookSecret } = event.data;
      return {
        ...merchant,
        signingSecret: resealed(merchant.signingSecret, signingSecret, previousSigningSecret),
        webhookSecret: resealed(merchant.webhookSecret, webhookSecret, previousWebhookSecret),
      };
    }
    case 'MerchantSettingsChanged': {
      const { requireSignatures, rotationGraceSeconds, feeSchedule } = event.data;
      return { ...merchant, settings: { requireSignatures, rotationGraceSeconds, feeSchedule } };
    }
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
    signingSecret: { current: signingSecret, previous: null },
    webhookSecret: { current: webhookSecret, previous: null },
    tokens: {},
  };
}

function issued({ tokenId, tokenHash, scopes, expiresAt }: AccessTokenIssued['data'], at: string): AccessToken {
  return { tokenId, tokenHash, scopes, issuedAt: at, expiresAt, revokedAt: null };
}

function withToken(merchant: Merchant, token: AccessToken): Merchant {
  return { ...merchant, tokens: { ...merchant.tokens, [token.tokenId]: token } };
}

function resealed(secret: RotatedSecret, current: Sealed, previous: Sealed | null): RotatedSecret {
  const graceEndsAt = secret.previous?.graceEndsAt;
  const isReplaced = previous !== null && graceEndsAt !== undefined;
  return { current, previous: isReplaced ? { secret: previous, graceEndsAt } : null };
}

function replaced(secret: RotatedSecret, current: Sealed, graceEndsAt: string): RotatedSecret {
  return { current, previous: { secret: secret.current, graceEndsAt } };
}
