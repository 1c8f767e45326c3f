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

/** The time-out of a gateway call; after it the outcome is unknown. */
const CALL_TIMEOUT_MS = 5_000;
/** How long a hold can be captured. */
const HOLD_MS = 7 * 24 * 60 * 60_000;

export interface GatewayCallDependencies {
  readonly gateway: PaymentGateway;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** The result of one call: an answer, or why there is none yet. */
export type Called<T> = { readonly answer: T } | { readonly retry: RetryReason };

/** Calls the gateway with a time limit, even if the gateway ignores its signal. */
export async function call<T>(
  deps: GatewayCallDependencies,
  operation: string,
  abort: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Called<T>> {
  try {
    return { answer: await withinDeadline(deps.clock, CALL_TIMEOUT_MS, [abort], work) };
  } catch (error) {
    // A bug is not an outcome: it would be retried forever.
    if (error instanceof AssertionFailedError) throw error;
    const retry = error instanceof GatewayUnavailableError ? 'GATEWAY_UNAVAILABLE' : 'OUTCOME_UNKNOWN';
    // An unavailable or slow gateway is what retries are for; any other error is logged with its stack trace.
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

/** Acts under a reference. If an earlier call may have acted already, it first asks the gateway for the outcome. */
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
  // An unknown outcome stays unknown until the gateway reports it: the next try inquires first again.
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

/** The gateway request for a capture, refund or authorization of a payment. */
export function requestOf(payment: Payment, reference: string, amountMinor: bigint) {
  const amount: GatewayAmount = { amountMinor, currency: payment.created.currency as Currency };
  return { reference, gatewayReference: payment.created.gatewayReference, amount };
}

export function holdExpiresAt(clock: Clock): string {
  return new Date(clock.nowMs() + HOLD_MS).toISOString();
}

export type NextCommand = { readonly command: PaymentCommand } | { readonly retry: RetryReason };
