import { type Scope, SCOPES } from '@app/merchants/domain';

/** Warns that a token has every scope or never expires; null if neither is the case. */
export function tokenNote(token: {
  readonly scopes: readonly Scope[];
  readonly expiresAt: string | null;
}): string | null {
  const hasAll = SCOPES.every((scope) => token.scopes.includes(scope));
  const parts = [...(hasAll ? ['has every scope'] : []), ...(token.expiresAt === null ? ['never expires'] : [])];
  if (parts.length === 0) return null;
  const until = token.expiresAt === null ? 'until it is revoked' : 'until then';
  return `This access token ${parts.join(' and ')}: whoever has it may use it ${until}. One with less names scopes and expiresAt.`;
}

/** The token issued at registration. */
export const FIRST_TOKEN = { scopes: SCOPES, expiresAt: null } as const;
