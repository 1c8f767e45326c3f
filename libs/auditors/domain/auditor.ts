import { accepted, type Decision, isoTime, rejected, type StoredEvent, unreachable } from '@app/event-sourcing';
import type { AuditorEvent } from './events';

/** The longest time for which a token is valid. */
export const MAX_VALIDITY_MS = 366 * 24 * 60 * 60 * 1_000;

export interface Auditor {
  readonly auditorId: string;
  readonly name: string;
  readonly tokenHash: string;
  readonly registeredAt: string;
  readonly expiresAt: string;
  readonly revokedAt: string | null;
}

export interface RegisterAuditor {
  readonly type: 'RegisterAuditor';
  readonly auditorId: string;
  readonly name: string;
  /** SHA-256 of the token, hex. */
  readonly tokenHash: string;
  /** RFC 3339 UTC with milliseconds, like `now`, so that texts compare like times. */
  readonly expiresAt: string;
  readonly now: string;
}

export interface RevokeAuditor {
  readonly type: 'RevokeAuditor';
}

export type AuditorCommand = RegisterAuditor | RevokeAuditor;

export type AuditorRejection = 'AUDITOR_EXISTS' | 'AUDITOR_NOT_FOUND' | 'EXPIRY_NOT_IN_FUTURE' | 'EXPIRY_TOO_FAR';

/** A repeated command decides nothing new. */
export function decide(command: AuditorCommand, auditor: Auditor | null): Decision<AuditorEvent, AuditorRejection> {
  switch (command.type) {
    case 'RegisterAuditor':
      return register(command, auditor);
    case 'RevokeAuditor':
      if (auditor === null) return rejected('AUDITOR_NOT_FOUND');
      if (auditor.revokedAt !== null) return accepted();
      return accepted<AuditorEvent>({ type: 'AuditorRevoked', data: { auditorId: auditor.auditorId } });
    default:
      return unreachable(command);
  }
}

function register(
  { auditorId, name, tokenHash, expiresAt, now }: RegisterAuditor,
  auditor: Auditor | null,
): Decision<AuditorEvent, AuditorRejection> {
  // The token proves who is registering: a request with the same one repeats the registration.
  if (auditor !== null) return auditor.tokenHash === tokenHash ? accepted() : rejected('AUDITOR_EXISTS');
  if (expiresAt <= now) return rejected('EXPIRY_NOT_IN_FUTURE');
  if (expiresAt > isoTime(Date.parse(now) + MAX_VALIDITY_MS)) return rejected('EXPIRY_TOO_FAR');
  return accepted<AuditorEvent>({ type: 'AuditorRegistered', data: { auditorId, name, tokenHash, expiresAt } });
}

/** Events before the registration, which no such stream has, are passed over. */
export function evolve(auditor: Auditor | null, event: StoredEvent<AuditorEvent>): Auditor | null {
  const { recordedAt } = event.metadata;
  switch (event.type) {
    case 'AuditorRegistered': {
      const { auditorId, name, tokenHash, expiresAt } = event.data;
      return { auditorId, name, tokenHash, registeredAt: recordedAt, expiresAt, revokedAt: null };
    }
    case 'AuditorRevoked':
      return auditor && { ...auditor, revokedAt: auditor.revokedAt ?? recordedAt };
    default:
      return unreachable(event);
  }
}
