import { REGISTRATION_LIFETIME_MS, stateOfChallenge } from './entries';
import type { Challenge, RegistrationEntry, TransactionEntry } from './entries';
import { approved } from './rules';

/**
 * The result of a payment, as its issuer sees it. `declined`: by the customer; `failed`: by anyone else. `processing`
 * includes the time in which the customer has not answered yet.
 */
export type AccountOutcome =
  'processing' | 'authorized' | 'completed' | 'declined' | 'failed' | 'cancelled' | 'expired';

/** How long an amount is held if the merchant does not capture it. */
const HOLD_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

export interface ChallengedAccount {
  readonly registration: RegistrationEntry;
  readonly challenge: Challenge;
  readonly transactions: readonly TransactionEntry[];
}

export function outcomeOf(account: ChallengedAccount, nowMs: number): AccountOutcome {
  const { registration, challenge, transactions } = account;
  const tried = (kind: TransactionEntry['kind']) => transactions.some((entry) => entry.kind === kind);
  if (approved('CAPTURE', transactions) !== null) return 'completed';
  // A hold whose capture was declined gets released; the reason does not matter.
  if (tried('CAPTURE')) return 'failed';
  const released = approved('VOID', transactions);
  if (released !== null) return released.recordedAtMs < endOfTimeMs(account) ? 'cancelled' : 'expired';
  if (approved('AUTHORIZATION', transactions) !== null) return 'authorized';
  if (tried('AUTHORIZATION')) return 'failed';
  const state = stateOfChallenge(challenge, registration, nowMs);
  if (state === 'failed') return 'declined';
  if (state === 'expired') return 'expired';
  return nowMs >= registration.registeredAtMs + REGISTRATION_LIFETIME_MS ? 'failed' : 'processing';
}

/** A void at or after this time means that the payment expired; before, that the merchant cancelled it. */
function endOfTimeMs({ challenge, transactions }: ChallengedAccount): number {
  const held = approved('AUTHORIZATION', transactions);
  if (held !== null) return held.recordedAtMs + HOLD_LIFETIME_MS;
  return challenge.answer === null ? challenge.expiresAtMs : Infinity;
}
