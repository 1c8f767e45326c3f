import { unreachable } from '@app/event-sourcing';

import type { GatewayAmount } from '../port';
import { REGISTRATION_LIFETIME_MS, stateOfChallenge } from './entries';
import type { Challenge, RegistrationEntry, TransactionEntry } from './entries';
import { APPROVED, declined, RESPONSES } from './processor-responses';
import type { Verdict } from './processor-responses';
import { REFUND_PENDING_MS, scenarioNamed } from './scenarios';
import type { TransactionKind } from './scenarios';

/** Everything that the books contain about one gateway reference. */
export interface Account {
  /** Null if the gateway does not know the reference: nothing is held or can be taken there. */
  readonly registration: RegistrationEntry | null;
  readonly challenge: Challenge | null;
  readonly transactions: readonly TransactionEntry[];
}

/** The issuer's and acquirer's verdict on a new transaction. Pure: the caller records it. */
export function judge(kind: TransactionKind, amount: GatewayAmount, account: Account, nowMs: number): Verdict {
  switch (kind) {
    case 'AUTHORIZATION':
      return judgeAuthorization(amount, account, nowMs);
    case 'CAPTURE':
      return judgeCapture(amount, account);
    case 'VOID':
      return judgeVoid(account);
    case 'REFUND':
      return judgeRefund(amount, account, nowMs);
    default:
      return unreachable(kind);
  }
}

/** One attempt per registration, whatever its outcome. */
function judgeAuthorization(amount: GatewayAmount, account: Account, nowMs: number): Verdict {
  const { registration, challenge, transactions } = account;
  if (registration === null || registration.closed || nowMs >= registration.registeredAtMs + REGISTRATION_LIFETIME_MS) {
    return declined('PROCESSING_ERROR', RESPONSES.invalidTransaction);
  }
  if (transactions.some(({ kind }) => kind === 'AUTHORIZATION')) {
    return declined('PROCESSING_ERROR', RESPONSES.duplicate);
  }
  if (!within(amount, registration.amount)) return declined('PROCESSING_ERROR', RESPONSES.invalidAmount);
  if (challenge !== null && stateOfChallenge(challenge, registration, nowMs) !== 'succeeded') {
    return declined('CARD_DECLINED', RESPONSES.authenticationRequired);
  }
  return scenarioNamed(registration.scenario).authorization ?? APPROVED;
}

function judgeCapture(amount: GatewayAmount, { registration, transactions }: Account): Verdict {
  const authorization = approved('AUTHORIZATION', transactions);
  if (registration === null || registration.closed || authorization === null) {
    return declined('CAPTURE_REFUSED', RESPONSES.invalidTransaction);
  }
  if (approved('CAPTURE', transactions) !== null) return declined('CAPTURE_REFUSED', RESPONSES.duplicate);
  if (!within(amount, authorization.amount)) return declined('CAPTURE_REFUSED', RESPONSES.invalidAmount);
  return scenarioNamed(registration.scenario).capture ?? APPROVED;
}

/** Also approved for an unknown registration: the caller wants to be sure that nothing is held, and nothing is. */
function judgeVoid({ transactions }: Account): Verdict {
  const captured = approved('CAPTURE', transactions) !== null;
  return captured ? declined('PROCESSING_ERROR', RESPONSES.alreadyCaptured) : APPROVED;
}

function judgeRefund(amount: GatewayAmount, { registration, transactions }: Account, nowMs: number): Verdict {
  const capture = approved('CAPTURE', transactions);
  if (registration === null || capture === null) return declined('PROCESSING_ERROR', RESPONSES.invalidTransaction);
  const left = transactions
    .filter(({ kind, verdict }) => kind === 'REFUND' && verdict.kind !== 'declined')
    .reduce((rest, refund) => rest - refund.amount.amountMinor, capture.amount.amountMinor);
  if (!within(amount, { amountMinor: left, currency: capture.amount.currency })) {
    return declined('PROCESSING_ERROR', RESPONSES.invalidAmount);
  }
  const verdict = scenarioNamed(registration.scenario).refund ?? APPROVED;
  return verdict === 'pending' ? { kind: 'pending', settlesAtMs: nowMs + REFUND_PENDING_MS } : verdict;
}

export function approved(kind: TransactionKind, transactions: readonly TransactionEntry[]): TransactionEntry | null {
  return transactions.find((entry) => entry.kind === kind && entry.verdict.kind === 'approved') ?? null;
}

/** Positive, within the limit, and in the same currency. */
function within(amount: GatewayAmount, limit: GatewayAmount): boolean {
  return amount.currency === limit.currency && amount.amountMinor > 0n && amount.amountMinor <= limit.amountMinor;
}
