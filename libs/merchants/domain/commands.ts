import type { EncryptedSecret, ReencryptedSecret } from '@app/keys/domain';
import type { MerchantSettings } from './events';
import type { Scope } from './scopes';

export interface NewAccessToken {
  readonly tokenId: string;
  /** SHA-256 of the token, hex. */
  readonly tokenHash: string;
  readonly scopes: readonly Scope[];
  /** RFC 3339 UTC, or null if the token doesn't expire. */
  readonly expiresAt: string | null;
  /** The operator's name for it; null or absent if it has none. */
  readonly name?: string | null;
}

/** Registers the merchant with its first token: neither exists without the other. */
export interface RegisterMerchant {
  readonly type: 'RegisterMerchant';
  readonly merchantId: string;
  readonly name: string;
  readonly signingSecret: EncryptedSecret;
  readonly webhookSecret: EncryptedSecret;
  readonly token: NewAccessToken;
}

export interface IssueAccessToken {
  readonly type: 'IssueAccessToken';
  readonly token: NewAccessToken;
  /** RFC 3339 UTC. */
  readonly now: string;
}

export interface RevokeAccessToken {
  readonly type: 'RevokeAccessToken';
  readonly tokenId: string;
}

/** The secret that signs requests, or the one that signs webhooks. */
export type SecretKind = 'signing' | 'webhook';

export interface RotateSecret {
  readonly type: 'RotateSecret';
  readonly which: SecretKind;
  readonly secret: EncryptedSecret;
  /** Identifies the request, which rotates only once even if repeated; absent if it has no identity. */
  readonly requestId?: string | undefined;
  /** RFC 3339 UTC; the grace of the replaced secret begins here. */
  readonly now: string;
}

/**
 * Replaces stored secrets with the same ones encrypted under another master key, unless they were rotated in the
 * meantime.
 */
export interface ReencryptMerchantSecrets {
  readonly type: 'ReencryptMerchantSecrets';
  readonly reencrypted: readonly ReencryptedSecret[];
  /** RFC 3339 UTC; a replaced secret whose grace is over by then is dropped. */
  readonly now: string;
}

export interface ChangeMerchantSettings {
  readonly type: 'ChangeMerchantSettings';
  /** Absent fields stay unchanged. */
  readonly changes: Partial<MerchantSettings>;
  /** The merchant's new name. */
  readonly name?: string | undefined;
}

/** Makes the merchant's tokens invalid until it is reinstated. */
export interface SuspendMerchant {
  readonly type: 'SuspendMerchant';
  readonly reason: string | null;
}

export interface ReinstateMerchant {
  readonly type: 'ReinstateMerchant';
  readonly reason: string | null;
}

export type MerchantCommand =
  | RegisterMerchant
  | IssueAccessToken
  | RevokeAccessToken
  | RotateSecret
  | ReencryptMerchantSecrets
  | ChangeMerchantSettings
  | SuspendMerchant
  | ReinstateMerchant;

export type MerchantRejection =
  | 'MERCHANT_EXISTS'
  | 'MERCHANT_NOT_FOUND'
  /** The token's id or the token itself is already in use. */
  | 'TOKEN_EXISTS'
  | 'TOKEN_NOT_FOUND'
  | 'TOKEN_EXPIRY_NOT_IN_FUTURE'
  | 'TOKEN_WITHOUT_SCOPES'
  | 'TOO_MANY_TOKENS'
  /** The maximum number of valid secrets is reached. */
  | 'TOO_MANY_SECRETS'
  | 'ROTATION_GRACE_OUT_OF_RANGE'
  /** Basis points out of range, or a fixed part with an unknown or repeated currency or a malformed amount. */
  | 'FEE_SCHEDULE_INVALID';
