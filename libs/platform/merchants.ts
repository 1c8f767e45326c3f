/** The merchant to whom a token belongs. */
export interface AuthenticatedMerchant {
  readonly merchantId: string;
  readonly name: string;
  /** The token is valid, but its requests are refused. */
  readonly isSuspended: boolean;
  readonly scopes: ReadonlySet<string>;
  /** Whether every write must be signed. */
  readonly requireSignatures: boolean;
  readonly tokenId: string;
}

/** Why a token is refused, and whose it was; only for the log. */
export type TokenRefusal =
  | { readonly reason: 'unknown'; readonly bearer: null }
  | { readonly reason: 'expired' | 'revoked'; readonly bearer: AuthenticatedMerchant };

/** What the gate needs to know about merchants. Also its injection token. */
export abstract class Merchants {
  /**
   * The merchant and rights of a token; null if it is unknown, expired or revoked.
   *
   * @throws DamagedHistoryError if it cannot be determined whether the token is still valid.
   */
  abstract authenticate(token: string): AuthenticatedMerchant | null;
  /** For a token that `authenticate` returned null for. */
  abstract whyRefused(token: string): TokenRefusal;
  /** Records that a request was authenticated with the token. */
  abstract noteUse(tokenId: string): void;
  /** The secrets that may currently sign the merchant's requests; none for an unknown merchant. */
  abstract signingSecrets(merchantId: string): readonly string[];
  /** Whether a revocation may have been missed. */
  abstract isStale(): boolean;
}
