/*
 * Stored events are a storage format: never rename a type or a field, never change a meaning. Add optional fields only;
 * otherwise raise the schema version in ./schemas.ts, add an upcaster and a spec that holds the old JSON.
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
    readonly signingSecret: EncryptedSecret;
    readonly webhookSecret: EncryptedSecret;
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
    /** What the operator calls it. Absent where it was given none. */
    readonly name?: string;
  }
>;

export type AccessTokenRevoked = DomainEvent<
  'AccessTokenRevoked',
  { readonly merchantId: string; readonly tokenId: string }
>;

/** The replaced secret stays valid until `graceEndsAt`, whatever is rotated after that. */
interface Rotation {
  readonly merchantId: string;
  readonly graceEndsAt: string;
  /** Of a request that came with an Idempotency-Key. */
  readonly requestId?: string;
}

/** A new secret verifies requests, beside all those whose grace is not over. */
export type SigningSecretRotated = DomainEvent<
  'SigningSecretRotated',
  Rotation & { readonly signingSecret: EncryptedSecret }
>;

/** A new secret signs webhooks, beside all those whose grace is not over. */
export type WebhookSecretRotated = DomainEvent<
  'WebhookSecretRotated',
  Rotation & { readonly webhookSecret: EncryptedSecret }
>;

/** A secret that was replaced, and until when it holds all the same. */
export interface ReplacedSecret {
  readonly secret: EncryptedSecret;
  readonly graceEndsAt: string;
}

/**
 * The same secrets, encrypted under another master key; they replace those stored before. A replaced secret keeps the
 * end of its grace; one whose grace is over is left out.
 */
export type MerchantSecretsResealed = DomainEvent<
  'MerchantSecretsResealed',
  {
    readonly merchantId: string;
    readonly signingSecret: EncryptedSecret;
    /** The latest of `previousSigningSecrets`, for releases that know no others. */
    readonly previousSigningSecret: EncryptedSecret | null;
    /** The oldest first. Absent where it was written by such a release. */
    readonly previousSigningSecrets?: readonly ReplacedSecret[];
    readonly webhookSecret: EncryptedSecret;
    readonly previousWebhookSecret: EncryptedSecret | null;
    readonly previousWebhookSecrets?: readonly ReplacedSecret[];
  }
>;

/** The settings as they are from here on, changed or not. */
export type MerchantSettingsChanged = DomainEvent<
  'MerchantSettingsChanged',
  MerchantSettings & { readonly merchantId: string }
>;

/** From here on it is shown by this name. */
export type MerchantRenamed = DomainEvent<'MerchantRenamed', { readonly merchantId: string; readonly name: string }>;

/** Its tokens let nobody in until it is reinstated. What was promised before goes on: payments are processed, webhooks sent. */
export type MerchantSuspended = DomainEvent<
  'MerchantSuspended',
  {
    readonly merchantId: string;
    /** The operator's, or null. */
    readonly reason: string | null;
  }
>;

/** Its tokens let their bearers in again, as far as they have not ended otherwise. */
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
