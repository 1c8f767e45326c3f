import { AssertionFailedError, type Clock, DeadlineError, type Random, withinDeadline } from '@app/event-sourcing';
import type { Currency } from '@app/money';
import {
  failureOfDecline,
  type Payment,
  type PaymentCommand,
  type RetryReason,
  type Step,
  type Verdict,
} from '@app/payments/domain';
import {
  type GatewayAmount,
  GatewayOutcomeUnknownError,
  GatewayUnavailableError,
  type PaymentGateway,
  type TransactionOutcome,
} from '@app/gateway/port';
import { failureLog, type Logger } from '@app/platform/telemetry';

/** How long the gateway may take; after that the outcome is unknown. */
const CALL_TIMEOUT_MS = 5_000;
/** How long a granted authorization may be captured. */
const HOLD_MS = 7 * 24 * 60 * 60_000;

export interface GatewayCallDependencies {
  readonly gateway: PaymentGateway;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** What one call came to: an answer, or why there is none yet. */
export type Called<T> = { readonly answer: T } | { readonly retry: RetryReason };

/** Calls the gateway, bounded in time even where the gateway ignores its signal. */
export async function call<T>(
  deps: GatewayCallDependencies,
  operation: string,
  abort: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Called<T>> {
  try {
    return { answer: await withinDeadline(deps.clock, CALL_TIMEOUT_MS, [abort], work) };
  } catch (error) {
    // A bug is no outcome: asking again would go on for ever.
    if (error instanceof AssertionFailedError) throw error;
    const retry = error instanceof GatewayUnavailableError ? 'GATEWAY_UNAVAILABLE' : 'OUTCOME_UNKNOWN';
    // Retries are there for gateways that are away or slow; of anything else the call sites are wanted.
    const isForeseen = isExpected(error);
    const failure = { level: 'warn', message: 'gateway call without an answer', about: operation, isForeseen } as const;
    failureLog(deps).failed({ ...failure, fields: { operation, retry } }, error);
    return { retry };
  }
}

function isExpected(error: unknown): boolean {
  return (
    error instanceof GatewayUnavailableError ||
    error instanceof GatewayOutcomeUnknownError ||
    error instanceof DeadlineError
  );
}

/** Acts under a reference; where an earlier call may have acted already, the gateway is asked for its outcome first. */
export async function transact(
  deps: GatewayCallDependencies,
  step: Step,
  reference: string,
  abort: AbortSignal,
  act: (signal: AbortSignal) => Promise<TransactionOutcome>,
): Promise<Called<Verdict>> {
  const called = await call(deps, step.operation, abort, async (signal) => {
    if (!step.inquireFirst) return act(signal);
    const known = await deps.gateway.inquire(reference, signal);
    return known.kind === 'not-found' ? act(signal) : known;
  });
  // Once the outcome is unknown it stays so until the gateway has told it: next time it is asked first again.
  if ('retry' in called) return step.inquireFirst ? { retry: 'OUTCOME_UNKNOWN' } : called;
  const { answer } = called;
  switch (answer.kind) {
    case 'pending':
      return { retry: 'GATEWAY_PENDING' };
    case 'approved':
      return { answer };
    case 'declined': {
      const { code, processorResponse } = answer;
      return { answer: { kind: 'declined', failure: failureOfDecline(step.operation, code), processorResponse } };
    }
  }
}

/** The capture, refund or authorization request of a payment. */
export function requestOf(payment: Payment, reference: string, amountMinor: bigint) {
  const amount: GatewayAmount = { amountMinor, currency: payment.created.currency as Currency };
  return { reference, gatewayReference: payment.created.gatewayReference, amount };
}

export function holdExpiresAt(clock: Clock): string {
  return new Date(clock.nowMs() + HOLD_MS).toISOString();
}

export type NextCommand = { readonly command: PaymentCommand } | { readonly retry: RetryReason };
