import {
  type ChallengeState,
  type DisputeChanges,
  type GatewayDispute,
  GatewayOutcomeUnknownError,
  GatewayUnavailableError,
  type InquiryOutcome,
  PaymentGateway,
  type RegisterRequest,
  type Registration,
  type TransactionOutcome,
  type TransactionRequest,
} from '@app/gateway/port';

export type Fault =
  | 'none'
  /** The gateway refuses the call and says so. */
  | 'unavailable'
  /** The connection breaks before the request has arrived. */
  | 'request-lost'
  /** The gateway acts, and the connection breaks. */
  | 'answer-lost'
  /** The gateway acts, but no answer or error ever arrives. */
  | 'hangs'
  /** The request stays in transit indefinitely; its sender gives up. */
  | 'late';

/** The network to a gateway, which loses and delays calls as the test says. The gateway itself makes no mistakes. */
export class UnreliableGateway extends PaymentGateway {
  /** The faults of the next calls, one each; later calls succeed. */
  faults: Fault[] = [];
  /** Increases with everything that happens. */
  activity = 0;
  private readonly onTheirWay: (() => Promise<unknown>)[] = [];

  constructor(private readonly gateway: PaymentGateway) {
    super();
  }

  /** Delivers delayed requests now, oldest first, whatever has happened since; no one waits for their answers. */
  deliver(count: number): void {
    for (const send of this.onTheirWay.splice(0, count)) send().catch(() => undefined);
  }

  /** A registration moves no money: the only possible fault is a missing answer. */
  override async register(request: RegisterRequest, signal: AbortSignal): Promise<Registration> {
    this.activity += 1;
    const fault = this.faults.shift() ?? 'none';
    if (fault === 'unavailable' || fault === 'request-lost') throw new GatewayUnavailableError('down');
    const registration = await this.gateway.register(request, signal);
    if (fault !== 'none') throw new GatewayOutcomeUnknownError('reset');
    return registration;
  }

  override challengeState(gatewayReference: string, signal: AbortSignal): Promise<ChallengeState> {
    return this.pass((within) => this.gateway.challengeState(gatewayReference, within), signal);
  }

  override authorize(request: TransactionRequest, signal: AbortSignal): Promise<TransactionOutcome> {
    return this.pass((within) => this.gateway.authorize(request, within), signal);
  }

  override capture(request: TransactionRequest, signal: AbortSignal): Promise<TransactionOutcome> {
    return this.pass((within) => this.gateway.capture(request, within), signal);
  }

  override void(request: TransactionRequest, signal: AbortSignal): Promise<TransactionOutcome> {
    return this.pass((within) => this.gateway.void(request, within), signal);
  }

  override refund(request: TransactionRequest, signal: AbortSignal): Promise<TransactionOutcome> {
    return this.pass((within) => this.gateway.refund(request, within), signal);
  }

  override inquire(reference: string, signal: AbortSignal): Promise<InquiryOutcome> {
    return this.pass((within) => this.gateway.inquire(reference, within), signal);
  }

  override disputesOf(gatewayReference: string, signal: AbortSignal): Promise<readonly GatewayDispute[]> {
    return this.pass((within) => this.gateway.disputesOf(gatewayReference, within), signal);
  }

  override disputeChanges(cursor: string | null, signal: AbortSignal): Promise<DisputeChanges> {
    return this.pass((within) => this.gateway.disputeChanges(cursor, within), signal);
  }

  private async pass<T>(send: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    this.activity += 1;
    const fault = this.faults.shift() ?? 'none';
    if (fault === 'unavailable') throw new GatewayUnavailableError('down');
    if (fault === 'request-lost') throw new GatewayOutcomeUnknownError('reset');
    if (fault === 'late') {
      this.onTheirWay.push(() => send(new AbortController().signal));
      return never();
    }
    const answer = await send(signal);
    this.activity += 1;
    if (fault === 'answer-lost') throw new GatewayOutcomeUnknownError('reset');
    return fault === 'hangs' ? never() : answer;
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
