/*
 * Stored events are a storage format: never rename a type or a field, never change a meaning. Add optional fields only;
 * otherwise raise the schema version in ./schemas.ts, add an upcaster and a spec that holds the old JSON.
 * Times are RFC 3339 UTC; no fractional numbers, no integer-like keys. Secrets are sealed, tokens are hashed.
 */
import type { Sealed } from '@app/domain/data-key';
import type { DomainEvent } from '@app/kernel';
import type { FeeSchedule } from './fees';
import type { Scope } from './scopes';

/** What the operator may change about a merchant. */
export interface MerchantSettings {
  /** Whether every write must be signed, not only creates. */
  readonly requireSignatures: boolean;
  /** How long a secret lives on once it has been replaced, in whole seconds. */
  readonly rotationGraceSeconds: number;
  /** What captures are charged from here on; each capture records what it was charged. */
  readonly feeSchedule: FeeSchedule;
}

export type MerchantRegistered = DomainEvent<
  'MerchantRegistered',
  MerchantSettings & {
    readonly merchantId: string;
    readonly name: string;
    readonly signingSecret: Sealed;
    readonly webhookSecret: Sealed;
  }
>;

export type AccessTokenIssued = DomainEvent<
  'AccessTokenIssued',
  {
    readonly merchantId: string;
    readonly tokenId: string;
    /** SHA-256 of the token, hex: a token has 256 random bits, so a plain hash can't be turned back. */
    readonly tokenHash: string;
    readonly scopes: readonly Scope[];
    /** Null for a token that holds until it is revoked. */
    readonly expiresAt: string | null;
  }
>;

export type AccessTokenRevoked = DomainEvent<
  'AccessTokenRevoked',
  { readonly merchantId: string; readonly tokenId: string }
>;

/** A new secret verifies requests; the one before it does so too, until `graceEndsAt`. Any older one is dead. */
export type SigningSecretRotated = DomainEvent<
  'SigningSecretRotated',
  { readonly merchantId: string; readonly signingSecret: Sealed; readonly graceEndsAt: string }
>;

/** A new secret signs webhooks; the one before it does so too, until `graceEndsAt`. Any older one is dead. */
export type WebhookSecretRotated = DomainEvent<
  'WebhookSecretRotated',
  { readonly merchantId: string; readonly webhookSecret: Sealed; readonly graceEndsAt: string }
>;

/**
 * The same secrets, sealed under another master key: these take the place of what was stored before. A replaced secret keeps
 * the end of its grace; one whose grace is over is left out.
 */
export type MerchantSecretsResealed = DomainEvent<
  'MerchantSecretsResealed',
  {
    readonly merchantId: string;
    readonly signingSecret: Sealed;
    readonly previousSigningSecret: Sealed | null;
    readonly webhookSecret: Sealed;
    readonly previousWebhookSecret: Sealed | null;
  }
>;

/** The settings as they are from here on, changed or not. */
export type MerchantSettingsChanged = DomainEvent<
  'MerchantSettingsChanged',
  MerchantSettings & { readonly merchantId: string }
>;

export type MerchantEvent =
  | MerchantRegistered
  | AccessTokenIssued
  | AccessTokenRevoked
  | SigningSecretRotated
  | WebhookSecretRotated
  | MerchantSecretsResealed
  | MerchantSettingsChanged;
