import type { SQLOutputValue } from 'node:sqlite';

import type { Currency } from '@app/money';

import type { ChallengeState, DeclineCode, GatewayAmount, TransactionOutcome } from '../port';
import { APPROVED } from './processor-responses';
import type { Verdict } from './processor-responses';
import { gatewayReferenceOf } from './references';
import { REFUND_PENDING_MS } from './scenarios';
import type { ScenarioName, TransactionKind } from './scenarios';

/** How long an unused registration remains valid. */
export const REGISTRATION_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

/** What the gateway stores of a registered payment. Of the card, only the scenario. */
export interface NewRegistration {
  /** See `registrationDigest`. */
  readonly digest: string;
  readonly paymentId: string;
  readonly scenario: ScenarioName;
  readonly amount: GatewayAmount;
  readonly registeredAtMs: number;
}

/** A payment known to the gateway: an account at the issuer. */
export interface RegistrationEntry extends NewRegistration {
  readonly id: number;
  readonly gatewayReference: string;
  /** Voided: its authorization is released, or can no longer happen. */
  readonly closed: boolean;
}

/** The customer's authentication step. */
export interface Challenge {
  readonly registrationId: number;
  /** Opens only the page of `redirectUrl`. */
  readonly pageSecret: string;
  /** Opens only the page of `fallbackUrl`. */
  readonly formSecret: string;
  /** The base of the URLs as first returned: a repeated registration has to return the same bytes. */
  readonly publicUrl: string;
  readonly merchantName: string;
  readonly orderId: string;
  readonly returnUrl: string | null;
  /** Null in books created before it was stored, like `cardLastFour`. */
  readonly description: string | null;
  /** Lets the customer recognise the card. */
  readonly cardLastFour: string | null;
  readonly expiresAtMs: number;
  readonly answer: 'succeeded' | 'failed' | null;
}

export interface TransactionEntry {
  readonly reference: string;
  readonly gatewayReference: string;
  readonly kind: TransactionKind;
  readonly amount: GatewayAmount;
  readonly recordedAtMs: number;
  readonly verdict: Verdict;
}

/** An answer is final. Without one, the challenge expires with its deadline or when its registration is closed. */
export function stateOfChallenge(challenge: Challenge, registration: RegistrationEntry, nowMs: number): ChallengeState {
  if (challenge.answer !== null) return challenge.answer;
  return registration.closed || nowMs >= challenge.expiresAtMs ? 'expired' : 'pending';
}

/**
 * A pending refund is approved once it is due. If it is due implausibly late, it was recorded under a clock that was
 * ahead, and is approved at once.
 */
export function outcomeAt(verdict: Verdict, nowMs: number): TransactionOutcome {
  if (verdict.kind !== 'pending') return verdict;
  const leftMs = verdict.settlesAtMs - nowMs;
  return leftMs <= 0 || leftMs > 2 * REFUND_PENDING_MS ? APPROVED : { kind: 'pending' };
}

type Row = Record<string, SQLOutputValue>;

/* The type assertions rely on the schema's CHECK constraints, and on no other program writing the file. */
export function registrationFrom(row: Row): RegistrationEntry {
  const id = Number(row['id']);
  const entry = {
    digest: row['digest'] as string,
    paymentId: row['payment_id'] as string,
    scenario: row['scenario'] as ScenarioName,
    amount: amountFrom(row),
    registeredAtMs: Number(row['registered_at_ms']),
  };
  return { ...openedRegistration(id, entry), closed: row['closed'] === 1n };
}

/** A registration as first stored in row `id`. */
export function openedRegistration(id: number, entry: NewRegistration): RegistrationEntry {
  return { ...entry, id, gatewayReference: gatewayReferenceOf(id, entry.digest), closed: false };
}

export function challengeFrom(row: Row): Challenge {
  return {
    registrationId: Number(row['registration_id']),
    pageSecret: row['page_secret'] as string,
    formSecret: row['form_secret'] as string,
    publicUrl: row['public_url'] as string,
    merchantName: row['merchant_name'] as string,
    orderId: row['order_id'] as string,
    returnUrl: row['return_url'] as string | null,
    description: row['description'] as string | null,
    cardLastFour: row['card_last_four'] as string | null,
    expiresAtMs: Number(row['expires_at_ms']),
    answer: row['answer'] as Challenge['answer'],
  };
}

export function transactionFrom(row: Row): TransactionEntry {
  return {
    reference: row['reference'] as string,
    gatewayReference: row['gateway_reference'] as string,
    kind: row['kind'] as TransactionKind,
    amount: amountFrom(row),
    recordedAtMs: Number(row['recorded_at_ms']),
    verdict: verdictFrom(row),
  };
}

function amountFrom(row: Row): GatewayAmount {
  return { amountMinor: row['amount_minor'] as bigint, currency: row['currency'] as Currency };
}

/** Texts of an answer are stored with it, so that it stays the same if the tables of texts change. */
function verdictFrom(row: Row): Verdict {
  const kind = row['verdict'] as Verdict['kind'];
  const processorResponse = { code: row['response_code'] as string, message: row['response_message'] as string };
  switch (kind) {
    case 'approved':
      return { kind, processorResponse };
    case 'declined':
      return { kind, code: row['decline_code'] as DeclineCode, processorResponse };
    case 'pending':
      return { kind, settlesAtMs: Number(row['settles_at_ms']) };
  }
}

/** verdict, decline_code, response_code, response_message, settles_at_ms */
export function verdictColumns(verdict: Verdict): [string, string | null, string | null, string | null, number | null] {
  if (verdict.kind === 'pending') return [verdict.kind, null, null, null, verdict.settlesAtMs];
  const { code, message } = verdict.processorResponse;
  return [verdict.kind, verdict.kind === 'declined' ? verdict.code : null, code, message, null];
}
