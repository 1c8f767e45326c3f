import { type Scope, SCOPES } from '@app/merchants/domain';

/** Says plainly what a token may that nobody has narrowed; null for one that has an end and not every scope. */
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

/** What registration gives. */
export const FIRST_TOKEN = { scopes: SCOPES, expiresAt: null } as const;
