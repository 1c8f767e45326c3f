/*
 * Stored events are a storage format: never rename a type or a field, never change a meaning. Only add optional fields.
 * For any other change, raise the schema version in ./schemas.ts and add an upcaster and a spec with the old JSON.
 * Times are RFC 3339 UTC; no fractional numbers, no integer-like keys. Secrets are encrypted, tokens are hashed.
 */
import type { EncryptedSecret } from '@app/keys/domain';
import type { DomainEvent } from '@app/event-sourcing';
import type { FeeSchedule } from './fees';
import type { Scope } from './scopes';

/** What the operator may change about a merchant. */
export interface MerchantSettings {
  /** Whether every write must be signed, not only creates. */
  readonly requireSignatures: boolean;
  /** The grace of a replaced secret, in whole seconds. */
  readonly rotationGraceSeconds: number;
  /** The fee schedule for captures from now on; each capture records its own fee. */
  readonly feeSchedule: FeeSchedule;
}

export type MerchantRegistered = DomainEvent<
  'MerchantRegistered',
  MerchantSettings & {
    readonly merchantId: string;
    readonly name: string;
    readonly signingSecret: EncryptedSecret;
    readonly webhookSecret: EncryptedSecret;
  }
>;

export type AccessTokenIssued = DomainEvent<
  'AccessTokenIssued',
  {
    readonly merchantId: string;
    readonly tokenId: string;
    /** SHA-256 of the token, hex. A token has 256 random bits, so a plain hash can't be reversed. */
    readonly tokenHash: string;
    readonly scopes: readonly Scope[];
    /** Null for a token that is valid until it is revoked. */
    readonly expiresAt: string | null;
    /** The operator's name for it; absent if it has none. */
    readonly name?: string;
  }
>;

export type AccessTokenRevoked = DomainEvent<
  'AccessTokenRevoked',
  { readonly merchantId: string; readonly tokenId: string }
>;

/** The replaced secret stays valid until `graceEndsAt`, regardless of later rotations. */
interface Rotation {
  readonly merchantId: string;
  readonly graceEndsAt: string;
  /** Set if the request had an Idempotency-Key. */
  readonly requestId?: string;
}

/** A new secret verifies requests, in addition to all secrets whose grace is not over. */
export type SigningSecretRotated = DomainEvent<
  'SigningSecretRotated',
  Rotation & { readonly signingSecret: EncryptedSecret }
>;

/** A new secret signs webhooks, in addition to all secrets whose grace is not over. */
export type WebhookSecretRotated = DomainEvent<
  'WebhookSecretRotated',
  Rotation & { readonly webhookSecret: EncryptedSecret }
>;

/** A replaced secret, and the end of its grace. */
export interface ReplacedSecret {
  readonly secret: EncryptedSecret;
  readonly graceEndsAt: string;
}

/**
 * The same secrets encrypted under another master key; they replace the stored ones. A replaced secret keeps the end of
 * its grace; one whose grace is over is left out.
 */
export type MerchantSecretsResealed = DomainEvent<
  'MerchantSecretsResealed',
  {
    readonly merchantId: string;
    readonly signingSecret: EncryptedSecret;
    /** The latest of `previousSigningSecrets`, for releases that support only one. */
    readonly previousSigningSecret: EncryptedSecret | null;
    /** Oldest first. Absent if such a release wrote the event. */
    readonly previousSigningSecrets?: readonly ReplacedSecret[];
    readonly webhookSecret: EncryptedSecret;
    readonly previousWebhookSecret: EncryptedSecret | null;
    readonly previousWebhookSecrets?: readonly ReplacedSecret[];
  }
>;

/** All settings after the change, including unchanged ones. */
export type MerchantSettingsChanged = DomainEvent<
  'MerchantSettingsChanged',
  MerchantSettings & { readonly merchantId: string }
>;

/** The merchant's name changed. */
export type MerchantRenamed = DomainEvent<'MerchantRenamed', { readonly merchantId: string; readonly name: string }>;

/**
 * The merchant's tokens are invalid until it is reinstated. Earlier commitments continue: payments are processed and
 * webhooks sent.
 */
export type MerchantSuspended = DomainEvent<
  'MerchantSuspended',
  {
    readonly merchantId: string;
    /** The operator's reason, or null. */
    readonly reason: string | null;
  }
>;

/** The merchant's tokens are valid again, unless they are expired or revoked. */
export type MerchantReinstated = DomainEvent<
  'MerchantReinstated',
  { readonly merchantId: string; readonly reason: string | null }
>;

export type MerchantEvent =
  | MerchantRegistered
  | AccessTokenIssued
  | AccessTokenRevoked
  | SigningSecretRotated
  | WebhookSecretRotated
  | MerchantSecretsResealed
  | MerchantSettingsChanged
  | MerchantRenamed
  | MerchantSuspended
  | MerchantReinstated;
