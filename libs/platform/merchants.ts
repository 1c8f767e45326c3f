/** Whose token it is. */
export interface AuthenticatedMerchant {
  readonly merchantId: string;
  readonly name: string;
  /** Then the token is right, and lets nobody in all the same. */
  readonly isSuspended: boolean;
  readonly scopes: ReadonlySet<string>;
  /** Whether every write must be signed. */
  readonly requireSignatures: boolean;
  readonly tokenId: string;
}

/** Why a token lets nobody in, and whose it was: for the log alone. */
export type TokenRefusal =
  | { readonly reason: 'unknown'; readonly bearer: null }
  | { readonly reason: 'expired' | 'revoked'; readonly bearer: AuthenticatedMerchant };

/** What the gate has to know of merchants. Also its injection token. */
export abstract class Merchants {
  /**
   * The merchant and rights of the token's bearer; null when it is unknown, expired or revoked.
   *
   * @throws DamagedHistoryError where it can't be told whether the token still holds.
   */
  abstract authenticate(token: string): AuthenticatedMerchant | null;
  /** Of a token that `authenticate` gave nothing for. */
  abstract whyRefused(token: string): TokenRefusal;
  /** Somebody was let in with it. */
  abstract noteUse(tokenId: string): void;
  /** The secrets that may sign the merchant's requests now; none for an unknown merchant. */
  abstract signingSecrets(merchantId: string): readonly string[];
  /** Whether a revocation may have been missed. */
  abstract isStale(): boolean;
}
