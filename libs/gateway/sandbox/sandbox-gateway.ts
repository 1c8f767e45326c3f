import type { Clock, Random } from '@app/event-sourcing';

import { GatewayReferenceReusedError } from '../errors';
import { type GatewayNotices, NoticeBoard } from '../notices';
import { PaymentGateway } from '../port';
import type {
  ChallengeState,
  DisputeChanges,
  GatewayDispute,
  InquiryOutcome,
  RegisterRequest,
  Registration,
  TransactionOutcome,
  TransactionRequest,
} from '../port';
import { Books } from './books';
import { scenarioOfCard } from './cards';
import { SandboxChallenges } from './challenges';
import { disputesOfTransaction, EVIDENCE_TIME_MS, type PlannedChange } from './disputes';
import { outcomeAt, stateOfChallenge } from './entries';
import type { Challenge, RegistrationEntry, TransactionEntry } from './entries';
import { challengeSecret, challengeToken, registrationDigest } from './references';
import { judge } from './rules';
import { LOW_RISK, scenarioNamed } from './scenarios';
import type { ScenarioName, TransactionKind } from './scenarios';
import { neverAnswered, untilAborted } from './until-aborted';

export interface SandboxOptions {
  /** The books, `DATA_DIR/gateway.sqlite`; created if needed. Several processes may open them. */
  readonly file: string;
  /**
   * Base URL of the pages: scheme, host, port and an optional path. A function is called when needed, because the port
   * may be known late.
   */
  readonly publicUrl: string | (() => string);
  readonly clock: Clock;
  readonly random: Random;
  /** How long to wait for another process's transaction, in ms; default 2000. Blocks the event loop. */
  readonly busyTimeoutMs?: number;
}

/** What is stored of a card. */
interface KnownCard {
  readonly scenario: ScenarioName;
  readonly lastFour: string;
}

/**
 * A payment gateway that is its own issuer and acquirer: each card behaves as the table of cards says, every time.
 * Whatever moves money is on disk before it is answered. Of the card it stores only the scenario's name and, for the
 * customer's page, the last four digits; of the customer nothing.
 */
export class SandboxGateway extends PaymentGateway {
  /** Used by the pages of the 3DS step. */
  readonly challenges: SandboxChallenges;
  private readonly board = new NoticeBoard();
  private readonly closing = new AbortController();

  private constructor(
    private readonly books: Books,
    private readonly options: SandboxOptions,
  ) {
    super();
    this.challenges = new SandboxChallenges(books, options.clock, this.board);
  }

  static open(options: SandboxOptions): SandboxGateway {
    return new SandboxGateway(Books.open(options.file, options.clock, options.busyTimeoutMs), options);
  }

  /** Executes what is waiting, then accepts nothing more. */
  async close(): Promise<void> {
    this.closing.abort();
    this.books.close();
  }

  /** Why no card can be processed, in public words; null if the last write to the books succeeded. */
  problem(): string | null {
    return this.books.failing ? 'its books cannot be written' : null;
  }

  /**
   * Notices from this process only: not for answers that another process receives, nor for what is decided after a
   * restart.
   */
  get notices(): GatewayNotices {
    return this.board;
  }

  override register(request: RegisterRequest, signal: AbortSignal): Promise<Registration> {
    // The card's data goes no further than this function.
    const { number } = request.card;
    const card = { scenario: scenarioOfCard(number), lastFour: number.slice(-4) };
    // Moves no money: if a power cut loses a registration, its payment is merely declined.
    const registered = () => this.books.writes.run(() => this.registerOnce(request, card), 'outlives-the-process');
    return untilAborted(signal, registered);
  }

  /** A registration without a challenge is `succeeded`; an unknown registration is `expired`. */
  override challengeState(gatewayReference: string, signal: AbortSignal): Promise<ChallengeState> {
    return untilAborted(signal, async () => {
      const registration = this.books.registration(gatewayReference);
      if (registration === null) return 'expired';
      const challenge = this.books.challenge(registration);
      return challenge === null
        ? 'succeeded'
        : stateOfChallenge(challenge, registration, this.options.clock.settledMs());
    });
  }

  override authorize(request: TransactionRequest, signal: AbortSignal): Promise<TransactionOutcome> {
    return this.transact('AUTHORIZATION', request, signal);
  }

  override capture(request: TransactionRequest, signal: AbortSignal): Promise<TransactionOutcome> {
    return this.transact('CAPTURE', request, signal);
  }

  override void(request: TransactionRequest, signal: AbortSignal): Promise<TransactionOutcome> {
    return this.transact('VOID', request, signal);
  }

  override refund(request: TransactionRequest, signal: AbortSignal): Promise<TransactionOutcome> {
    return this.transact('REFUND', request, signal);
  }

  override inquire(reference: string, signal: AbortSignal): Promise<InquiryOutcome> {
    return untilAborted(signal, async () => {
      // An aborted call may still be waiting here: it must not be executed after "not found" was answered.
      this.books.writes.flush();
      const entry = this.books.transaction(reference);
      return entry === null ? { kind: 'not-found' } : outcomeAt(entry.verdict, this.options.clock.settledMs());
    });
  }

  override disputesOf(gatewayReference: string, signal: AbortSignal): Promise<readonly GatewayDispute[]> {
    return untilAborted(signal, async () => {
      const registration = this.books.registration(gatewayReference);
      return registration === null ? [] : this.books.disputesOf(registration, this.options.clock.settledMs());
    });
  }

  override disputeChanges(cursor: string | null, signal: AbortSignal): Promise<DisputeChanges> {
    return untilAborted(signal, () => this.books.disputeChanges(cursor, this.options.clock.settledMs()));
  }

  private registerOnce(request: RegisterRequest, { scenario, lastFour }: KnownCard): Registration {
    const digest = registrationDigest(request.paymentId, request.fingerprint);
    const known = this.books.registrationOf(request.paymentId, digest);
    if (known !== null) {
      // The create request that first registered it may have failed: the customer's time counts from the one that
      // succeeds.
      this.books.prolongChallenge(known, request.expiresAtMs);
      return registrationOf(known, this.books.challenge(known));
    }

    const entry = this.books.addRegistration({
      digest,
      paymentId: request.paymentId,
      scenario,
      amount: request.amount,
      registeredAtMs: this.options.clock.settledMs(),
    });
    const challenge =
      scenarioNamed(scenario).challenge === true ? this.newChallenge(entry.id, request, lastFour) : null;
    if (challenge !== null) this.books.addChallenge(challenge);
    return registrationOf(entry, challenge);
  }

  private newChallenge(registrationId: number, request: RegisterRequest, cardLastFour: string): Challenge {
    const { publicUrl } = this.options;
    return {
      registrationId,
      pageSecret: challengeSecret(this.options.random),
      formSecret: challengeSecret(this.options.random),
      publicUrl: (typeof publicUrl === 'string' ? publicUrl : publicUrl()).replace(/\/+$/, ''),
      merchantName: request.merchantName,
      orderId: request.orderId,
      returnUrl: request.returnUrl ?? null,
      description: request.description ?? null,
      cardLastFour,
      expiresAtMs: request.expiresAtMs,
      answer: null,
    };
  }

  private transact(
    kind: TransactionKind,
    request: TransactionRequest,
    signal: AbortSignal,
  ): Promise<TransactionOutcome> {
    return untilAborted(signal, async () => {
      const { entry, isNew, answerLost, disputes } = await this.books.writes.run(() => this.actOnce(kind, request));
      if (isNew && entry.verdict.kind === 'pending') {
        this.tellAt(entry, entry.verdict.settlesAtMs, (paymentId) => {
          this.board.publish({ type: 'transaction-decided', paymentId, reference: entry.reference });
        });
      }
      this.tellOfDisputes(entry, disputes);
      return answerLost ? neverAnswered() : outcomeAt(entry.verdict, this.options.clock.settledMs());
    });
  }

  private tellOfDisputes(entry: TransactionEntry, disputes: readonly PlannedChange[]): void {
    const horizonMs = entry.recordedAtMs + EVIDENCE_TIME_MS;
    for (const { dueAtMs } of disputes) {
      // Nobody waits a week for a notice.
      if (dueAtMs >= horizonMs) continue;
      this.tellAt(entry, dueAtMs, (paymentId) => this.board.publish({ type: 'dispute-changed', paymentId }));
    }
  }

  /** If the notice cannot be sent, polling will find what it is about. */
  private tellAt(entry: TransactionEntry, atMs: number, tell: (paymentId: string) => void): void {
    const { clock } = this.options;
    const telling = async (): Promise<void> => {
      const paymentId = this.books.registration(entry.gatewayReference)?.paymentId;
      await clock.sleep(Math.max(0, atMs - clock.settledMs()), this.closing.signal);
      if (paymentId !== undefined && !this.closing.signal.aborted) tell(paymentId);
    };
    telling().catch(() => undefined);
  }

  private actOnce(
    kind: TransactionKind,
    request: TransactionRequest,
  ): { entry: TransactionEntry; isNew: boolean; answerLost: boolean; disputes: readonly PlannedChange[] } {
    const { reference, gatewayReference, amount } = request;
    const known = this.books.transaction(reference);
    if (known !== null) {
      if (!sameContent(known, kind, request)) throw new GatewayReferenceReusedError(reference);
      return { entry: known, isNew: false, answerLost: false, disputes: [] };
    }
    const registration = this.books.registration(gatewayReference);
    const challenge = registration === null ? null : this.books.challenge(registration);
    const transactions = registration === null ? [] : this.books.transactionsOf(registration);
    const nowMs = this.options.clock.settledMs();
    const verdict = judge(kind, amount, { registration, challenge, transactions }, nowMs);
    const entry: TransactionEntry = { reference, gatewayReference, kind, amount, recordedAtMs: nowMs, verdict };
    this.books.addTransaction(entry, registration);
    const disputes = registration === null ? [] : disputesOfTransaction(registration, entry);
    if (registration !== null) this.books.addDisputes(registration, disputes);
    if (kind === 'VOID' && verdict.kind === 'approved' && registration !== null) {
      this.books.closeRegistration(registration);
    }
    const answerLost = registration !== null && scenarioNamed(registration.scenario).answerLostOf === kind;
    return { entry, isNew: true, answerLost, disputes };
  }
}

function sameContent(entry: TransactionEntry, kind: TransactionKind, request: TransactionRequest): boolean {
  return (
    entry.kind === kind &&
    entry.gatewayReference === request.gatewayReference &&
    entry.amount.amountMinor === request.amount.amountMinor &&
    entry.amount.currency === request.amount.currency
  );
}

/** The answer to `register`, computed only from the books, so that repeats return the same bytes. */
function registrationOf(entry: RegistrationEntry, challenge: Challenge | null): Registration {
  const risk = scenarioNamed(entry.scenario).risk ?? LOW_RISK;
  return {
    gatewayReference: entry.gatewayReference,
    riskScore: risk.score,
    riskLevel: risk.level,
    nextAction: challenge && {
      type: '3DS_AUTHENTICATION',
      redirectUrl: `${challenge.publicUrl}/sandbox/3ds/${challengeToken(entry.id, challenge.pageSecret)}`,
      fallbackUrl: `${challenge.publicUrl}/sandbox/3ds/${challengeToken(entry.id, challenge.formSecret)}/form`,
    },
  };
}
