/** The auditor to whom a token belongs. */
export interface AuthenticatedAuditor {
  readonly auditorId: string;
  readonly name: string;
}

/** Why an auditor's token is refused, and whose it was; only for the log. */
export type AuditorTokenRefusal =
  | { readonly reason: 'unknown'; readonly bearer: null }
  | { readonly reason: 'expired' | 'revoked'; readonly bearer: AuthenticatedAuditor };

/** What the gate needs to know about auditors. Also its injection token. */
export abstract class Auditors {
  /**
   * The auditor of a token; null if it is unknown, expired or revoked.
   *
   * @throws DamagedHistoryError if it cannot be determined whether the token is still valid.
   */
  abstract authenticate(token: string): AuthenticatedAuditor | null;
  /** For a token that `authenticate` returned null for. */
  abstract whyRefused(token: string): AuditorTokenRefusal;
  /** Whether a revocation may have been missed. */
  abstract isStale(): boolean;
}
