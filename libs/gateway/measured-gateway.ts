import type { Metrics } from '@app/platform/telemetry';
import {
  type ChallengeState,
  type DisputeChanges,
  type GatewayDispute,
  GatewayUnavailableError,
  type InquiryOutcome,
  PaymentGateway,
  type RegisterRequest,
  type Registration,
  type TransactionOutcome,
  type TransactionRequest,
} from './port';

type Operation =
  | 'register'
  | 'challenge-state'
  | 'authorize'
  | 'capture'
  | 'void'
  | 'refund'
  | 'inquire'
  | 'disputes-of'
  | 'dispute-changes';

/**
 * Counts a gateway's calls by outcome: the gateway's own answer, `unavailable` if it accepted nothing, or `unknown` if
 * no answer came or the caller stopped waiting.
 */
export class MeasuredGateway extends PaymentGateway {
  constructor(
    private readonly gateway: PaymentGateway,
    private readonly metrics: Pick<Metrics, 'gatewayCall'>,
  ) {
    super();
  }

  override register(request: RegisterRequest, signal: AbortSignal): Promise<Registration> {
    const outcomeOf = ({ nextAction }: Registration) => (nextAction === null ? 'registered' : 'challenge');
    return this.measured('register', signal, outcomeOf, () => this.gateway.register(request, signal));
  }

  override challengeState(gatewayReference: string, signal: AbortSignal): Promise<ChallengeState> {
    const work = () => this.gateway.challengeState(gatewayReference, signal);
    return this.measured('challenge-state', signal, (state) => state, work);
  }

  override authorize(request: TransactionRequest, signal: AbortSignal): Promise<TransactionOutcome> {
    return this.measured('authorize', signal, kindOf, () => this.gateway.authorize(request, signal));
  }

  override capture(request: TransactionRequest, signal: AbortSignal): Promise<TransactionOutcome> {
    return this.measured('capture', signal, kindOf, () => this.gateway.capture(request, signal));
  }

  override void(request: TransactionRequest, signal: AbortSignal): Promise<TransactionOutcome> {
    return this.measured('void', signal, kindOf, () => this.gateway.void(request, signal));
  }

  override refund(request: TransactionRequest, signal: AbortSignal): Promise<TransactionOutcome> {
    return this.measured('refund', signal, kindOf, () => this.gateway.refund(request, signal));
  }

  override inquire(reference: string, signal: AbortSignal): Promise<InquiryOutcome> {
    return this.measured('inquire', signal, kindOf, () => this.gateway.inquire(reference, signal));
  }

  override disputesOf(gatewayReference: string, signal: AbortSignal): Promise<readonly GatewayDispute[]> {
    const work = () => this.gateway.disputesOf(gatewayReference, signal);
    return this.measured('disputes-of', signal, () => 'listed', work);
  }

  override disputeChanges(cursor: string | null, signal: AbortSignal): Promise<DisputeChanges> {
    const work = () => this.gateway.disputeChanges(cursor, signal);
    return this.measured('dispute-changes', signal, () => 'listed', work);
  }

  private async measured<T>(
    operation: Operation,
    signal: AbortSignal,
    outcomeOf: (answer: T) => string,
    work: () => Promise<T>,
  ): Promise<T> {
    let isCounted = false;
    const count = (outcome: string): void => {
      if (!isCounted) this.metrics.gatewayCall(operation, outcome);
      isCounted = true;
    };
    // A gateway that ignores the signal may answer much later or never, and nobody waits for it.
    const giveUp = (): void => count('unknown');
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      const answer = await work();
      count(outcomeOf(answer));
      return answer;
    } catch (error) {
      count(error instanceof GatewayUnavailableError ? 'unavailable' : 'unknown');
      throw error;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }
}

function kindOf({ kind }: InquiryOutcome): string {
  return kind;
}
