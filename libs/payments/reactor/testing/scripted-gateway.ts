import {
  type ChallengeState,
  type DisputeChanges,
  type GatewayDispute,
  GatewayOutcomeUnknownError,
  GatewayUnavailableError,
  type InquiryOutcome,
  PaymentGateway,
  type Registration,
  type TransactionOutcome,
  type TransactionRequest,
} from '@app/gateway/port';

type Act = 'authorize' | 'capture' | 'void' | 'refund';

/** How one call fails, or what it answers instead of an approval. */
export type Script =
  | { readonly answers: TransactionOutcome }
  /** The gateway did not act. */
  | 'unavailable'
  /** The gateway acted, but the connection breaks at once. */
  | 'answer-lost'
  /** The gateway did not act and never answers. */
  | 'request-lost'
  /** The gateway acted but never answers, and ignores the signal. */
  | 'hangs';

export const approved: TransactionOutcome = {
  kind: 'approved',
  processorResponse: { code: '00', message: 'Approved' },
};
export const declined: TransactionOutcome = {
  kind: 'declined',
  code: 'INSUFFICIENT_FUNDS',
  processorResponse: { code: '51', message: 'Insufficient funds' },
};

/** A gateway that follows a spec's script, approves everything else, and keeps its books by reference. */
export class ScriptedGateway extends PaymentGateway {
  /** Every call in order, as `<operation> <reference>`. */
  readonly calls: string[] = [];
  readonly books = new Map<
    string,
    { readonly act: Act; outcome: TransactionOutcome; readonly request: TransactionRequest }
  >();
  challenge: ChallengeState = 'pending';
  /** What changed at disputes, in order; a cursor is the number of changes read. */
  readonly disputes: GatewayDispute[] = [];
  private readonly scripts = new Map<string, Script[]>();

  /** Sets the outcomes of the operation's next calls, in order. */
  script(operation: Act | 'inquire' | 'challengeState' | 'disputeChanges', ...scripts: readonly Script[]): void {
    this.scripts.set(operation, [...(this.scripts.get(operation) ?? []), ...scripts]);
  }

  /** How often the gateway actually acted, whether or not its answers arrived. */
  count(act: Act): number {
    return [...this.books.values()].filter((entry) => entry.act === act && entry.outcome.kind === 'approved').length;
  }

  override register(): Promise<Registration> {
    throw new Error('payments to process are registered already');
  }

  override async challengeState(gatewayReference: string): Promise<ChallengeState> {
    this.calls.push(`challengeState ${gatewayReference}`);
    if (this.nextScript('challengeState') === 'unavailable') throw new GatewayUnavailableError('down');
    return this.challenge;
  }

  override authorize(request: TransactionRequest): Promise<TransactionOutcome> {
    return this.act('authorize', request);
  }

  override capture(request: TransactionRequest): Promise<TransactionOutcome> {
    return this.act('capture', request);
  }

  override void(request: TransactionRequest): Promise<TransactionOutcome> {
    return this.act('void', request);
  }

  override refund(request: TransactionRequest): Promise<TransactionOutcome> {
    return this.act('refund', request);
  }

  override async inquire(reference: string): Promise<InquiryOutcome> {
    this.calls.push(`inquire ${reference}`);
    if (this.nextScript('inquire') === 'unavailable') throw new GatewayUnavailableError('down');
    return this.books.get(reference)?.outcome ?? { kind: 'not-found' };
  }

  override async disputesOf(gatewayReference: string): Promise<readonly GatewayDispute[]> {
    this.calls.push(`disputesOf ${gatewayReference}`);
    const changes = this.disputes.filter((dispute) => dispute.gatewayReference === gatewayReference);
    return [...new Map(changes.map((dispute) => [dispute.disputeReference, dispute])).values()];
  }

  override async disputeChanges(cursor: string | null): Promise<DisputeChanges> {
    this.calls.push(`disputeChanges ${cursor ?? 'from the first'}`);
    if (this.nextScript('disputeChanges') === 'unavailable') throw new GatewayUnavailableError('down');
    const from = Number(cursor ?? 0);
    const end = Math.min(from + 2, this.disputes.length);
    const hasMore = end < this.disputes.length;
    return { disputes: this.disputes.slice(from, end), cursor: end === 0 ? null : String(end), hasMore };
  }

  private async act(act: Act, request: TransactionRequest): Promise<TransactionOutcome> {
    const { reference } = request;
    this.calls.push(`${act} ${reference}`);
    const script = this.nextScript(act);
    if (script === 'unavailable') throw new GatewayUnavailableError('down');
    if (script === 'request-lost') throw new GatewayOutcomeUnknownError('reset');
    const known = this.books.get(reference);
    const outcome = known?.outcome ?? (typeof script === 'object' ? script.answers : this.judge(act));
    if (known === undefined) this.books.set(reference, { act, outcome, request });
    if (script === 'answer-lost') throw new GatewayOutcomeUnknownError('reset');
    return script === 'hangs' ? new Promise<never>(() => undefined) : outcome;
  }

  /** After a void the gateway grants nothing any more. */
  private judge(act: Act): TransactionOutcome {
    return act === 'authorize' && this.count('void') > 0 ? declined : approved;
  }

  private nextScript(operation: string): Script | undefined {
    return this.scripts.get(operation)?.shift();
  }
}
