import { REGISTRATION_LIFETIME_MS, stateOfChallenge } from './entries';
import type { Challenge, RegistrationEntry, TransactionEntry } from './entries';
import { approved } from './rules';

/**
 * What has become of a payment, as its issuer sees it. `declined` is the customer's own word, `failed` anybody else's;
 * `processing` also while the customer has yet to answer.
 */
export type AccountOutcome =
  'processing' | 'authorized' | 'completed' | 'declined' | 'failed' | 'cancelled' | 'expired';

/** How long an amount is held for a merchant who doesn't capture it. */
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
  // A hold that can't be captured is released, for whatever reason that is given.
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

/** From when on a payment is released because its time is over; before, the merchant wanted it. */
function endOfTimeMs({ challenge, transactions }: ChallengedAccount): number {
  const held = approved('AUTHORIZATION', transactions);
  if (held !== null) return held.recordedAtMs + HOLD_LIFETIME_MS;
  return challenge.answer === null ? challenge.expiresAtMs : Infinity;
}
