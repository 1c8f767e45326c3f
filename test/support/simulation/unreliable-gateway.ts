import {
  type ChallengeState,
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
  /** The gateway takes nothing; it says so. */
  | 'unavailable'
  /** The connection breaks before the request has arrived. */
  | 'request-lost'
  /** The gateway acts, and the connection breaks. */
  | 'answer-lost'
  /** The gateway acts, and nobody ever hears of it. */
  | 'hangs'
  /** The request stays on its way, for how long ever; its sender gives up. */
  | 'late';

/** The way to a gateway, which loses and delays what the test tells it to. The gateway itself makes no mistakes. */
export class UnreliableGateway extends PaymentGateway {
  /** What happens to the next calls, one each; afterwards all goes well. */
  faults: Fault[] = [];
  /** Grows with everything that happens. */
  activity = 0;
  private readonly onTheirWay: (() => Promise<unknown>)[] = [];

  constructor(private readonly gateway: PaymentGateway) {
    super();
  }

  /** Requests that were held up arrive now, the oldest first, whatever has happened since; nobody waits for their answers. */
  deliver(count: number): void {
    for (const send of this.onTheirWay.splice(0, count)) send().catch(() => undefined);
  }

  /** A registration moves no money: all that can go wrong is that there is no answer. */
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
