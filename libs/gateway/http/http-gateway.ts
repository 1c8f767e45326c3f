import { type Clock, isoTime, type Random, WriteWatch } from '@app/event-sourcing';

import { GatewayReferenceReusedError, SandboxRefusedError } from '../errors';
import { GatewayOutcomeUnknownError, GatewayUnavailableError, PaymentGateway } from '../port';
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
import { answerOf } from './attempts';
import { type Answer, HttpExchanges, type Outgoing } from './exchange';
import { isAnswerSigned, isGatewayMode, MODE, REQUEST_ID, SIGNATURE, signRequest, TIMESTAMP } from './signing';
import { readDisputeChanges, readDisputes } from './wire/disputes';
import { readErrorCode } from './wire/errors';
import { MalformedMessageError, MessageReader } from './wire/message-reader';
import { readChallenge, readRegistration, registerMessage } from './wire/registrations';
import { readOutcome, transactionMessage } from './wire/transactions';

/** After this many calls in a row without a usable answer, the gateway counts as unavailable. */
const FAILURES_UNTIL_AWAY = 3;
const PROBE_TIMEOUT_MS = 5_000;
/** No transaction ever has this reference: a signed "not found" shows that the gateway is available. */
export const PROBE_REFERENCE = 'probe';

export interface HttpGatewayOptions {
  /** What precedes `/v1/…`, without a trailing slash. */
  readonly url: string;
  readonly secret: string;
  /** Whether answers of a sandbox, which moves no money, are accepted. */
  readonly allowsSandbox: boolean;
  readonly clock: Clock;
  readonly random: Random;
  /** Trusted certificate authorities in PEM, instead of Node's own. */
  readonly ca?: string;
}

/**
 * A gateway reached over HTTP. Only an answer with a correct signature for this very request is trusted. Anything else
 * is an unknown outcome, never a decline.
 */
export class HttpGateway extends PaymentGateway {
  private readonly exchanges: HttpExchanges;
  private readonly watch: WriteWatch;
  private failures = 0;
  private isRefusedSandbox = false;

  constructor(private readonly options: HttpGatewayOptions) {
    super();
    this.exchanges = new HttpExchanges(options.ca === undefined ? {} : { ca: options.ca });
    this.watch = new WriteWatch(options.clock, () => this.probe());
  }

  override async register(request: RegisterRequest, signal: AbortSignal): Promise<Registration> {
    const message = await this.call('POST', '/v1/registrations', registerMessage(request), signal);
    return readingOf(() => readRegistration(message));
  }

  override async challengeState(gatewayReference: string, signal: AbortSignal): Promise<ChallengeState> {
    const path = `/v1/registrations/${encodeURIComponent(gatewayReference)}/challenge`;
    const message = await this.call('GET', path, null, signal);
    return readingOf(() => readChallenge(message));
  }

  override authorize(request: TransactionRequest, signal: AbortSignal): Promise<TransactionOutcome> {
    return this.transact('/v1/authorizations', request, signal);
  }

  override capture(request: TransactionRequest, signal: AbortSignal): Promise<TransactionOutcome> {
    return this.transact('/v1/captures', request, signal);
  }

  override void(request: TransactionRequest, signal: AbortSignal): Promise<TransactionOutcome> {
    return this.transact('/v1/voids', request, signal);
  }

  override refund(request: TransactionRequest, signal: AbortSignal): Promise<TransactionOutcome> {
    return this.transact('/v1/refunds', request, signal);
  }

  override async inquire(reference: string, signal: AbortSignal): Promise<InquiryOutcome> {
    const path = `/v1/transactions/${encodeURIComponent(reference)}`;
    const message = await this.callOr(404, 'TRANSACTION_NOT_FOUND', 'GET', path, null, signal);
    return message === null ? { kind: 'not-found' } : readingOf(() => readOutcome(message, reference));
  }

  override async disputesOf(gatewayReference: string, signal: AbortSignal): Promise<readonly GatewayDispute[]> {
    const path = `/v1/registrations/${encodeURIComponent(gatewayReference)}/disputes`;
    const message = await this.call('GET', path, null, signal);
    return readingOf(() => readDisputes(message));
  }

  override async disputeChanges(cursor: string | null, signal: AbortSignal): Promise<DisputeChanges> {
    const after = cursor === null ? '' : `?after=${encodeURIComponent(cursor)}`;
    const message = await this.call('GET', `/v1/disputes${after}`, null, signal);
    return readingOf(() => readDisputeChanges(message));
  }

  /**
   * Why no card can be processed, in public words; null while calls are answered. Returns at once; while the gateway is
   * unavailable, each call triggers a probe in the background.
   */
  problem(): string | null {
    if (!this.watch.failing) return null;
    return this.isRefusedSandbox
      ? 'it is a sandbox, which production mode refuses'
      : 'it gives no answer that can be used';
  }

  async close(): Promise<void> {
    this.exchanges.close();
  }

  private async transact(path: string, request: TransactionRequest, signal: AbortSignal): Promise<TransactionOutcome> {
    const { reference } = request;
    const message = await this.callOr(409, 'REFERENCE_REUSED', 'POST', path, transactionMessage(request), signal);
    if (message === null) throw new GatewayReferenceReusedError(reference);
    return readingOf(() => readOutcome(message, reference));
  }

  private async call(method: Outgoing['method'], path: string, message: object | null, signal: AbortSignal) {
    const answer = await this.watched(() => this.answerTo(method, path, message, signal));
    return messageOf(answer);
  }

  /** Like `call`, but returns null for an error that this call expects. */
  private async callOr(
    status: number,
    code: string,
    method: Outgoing['method'],
    path: string,
    message: object | null,
    signal: AbortSignal,
  ): Promise<MessageReader | null> {
    const answer = await this.watched(() => this.answerTo(method, path, message, signal));
    return answer.status === status && errorCodeOf(answer) === code ? null : messageOf(answer);
  }

  private answerTo(method: Outgoing['method'], path: string, message: object | null, signal: AbortSignal) {
    const url = new URL(this.options.url + path);
    const body = message === null ? new Uint8Array() : Buffer.from(JSON.stringify(message));
    const send = (fresh: boolean) => this.exchange({ method, url, headers: {}, body, signal }, fresh);
    return answerOf(send);
  }

  private async exchange(outgoing: Outgoing, fresh: boolean): Promise<Answer> {
    const { secret, allowsSandbox, clock, random } = this.options;
    const { method, url, body } = outgoing;
    const requestId = random.uuid();
    const timestamp = isoTime(clock.nowMs());
    const path = url.pathname + url.search;
    const headers = {
      Accept: 'application/json',
      ...(body.length === 0 ? {} : { 'Content-Type': 'application/json' }),
      [REQUEST_ID]: requestId,
      [TIMESTAMP]: timestamp,
      [SIGNATURE]: signRequest(secret, { direction: 'request', method, path, timestamp, requestId, body }),
    };
    const answer = await this.exchanges.send({ ...outgoing, headers }, { fresh });
    const signature = answer.header(SIGNATURE) ?? '';
    const { status, body: answered } = answer;
    const mode = answer.header(MODE);
    if (!isGatewayMode(mode) || !isAnswerSigned(secret, signature, { status, mode, requestId, body: answered })) {
      throw new GatewayOutcomeUnknownError(`The gateway's answer (${status}) has no right signature`);
    }
    // Checked before any conclusion, even that nothing was done.
    if (mode === 'sandbox' && !allowsSandbox) throw new SandboxRefusedError();
    if (status === 503 && errorCodeOf(answer) === 'NOT_ACCEPTED') {
      throw new GatewayUnavailableError('The gateway did not take the request');
    }
    return answer;
  }

  private async watched(work: () => Promise<Answer>): Promise<Answer> {
    try {
      const answer = await work();
      this.failures = 0;
      this.watch.succeeded();
      return answer;
    } catch (error) {
      this.failures += 1;
      this.isRefusedSandbox = error instanceof SandboxRefusedError;
      // A sandbox will not give a better answer next time.
      if (this.isRefusedSandbox || this.failures >= FAILURES_UNTIL_AWAY) this.watch.failed();
      throw error;
    }
  }

  private async probe(): Promise<void> {
    const { signal, clear } = this.options.clock.deadline(PROBE_TIMEOUT_MS);
    try {
      await this.inquire(PROBE_REFERENCE, signal);
    } finally {
      clear();
    }
  }
}

function messageOf(answer: Answer): MessageReader {
  if (answer.status !== 200) {
    throw new GatewayOutcomeUnknownError(`The gateway answered ${answer.status} ${errorCodeOf(answer)}`);
  }
  return readingOf(() => MessageReader.of(answer.body));
}

function errorCodeOf(answer: Answer): string {
  try {
    return readErrorCode(MessageReader.of(answer.body));
  } catch (error) {
    if (error instanceof MalformedMessageError) return 'without a code';
    throw error;
  }
}

/** An answer that cannot be parsed says nothing about the outcome. */
function readingOf<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof MalformedMessageError)) throw error;
    throw new GatewayOutcomeUnknownError(`The gateway's answer cannot be understood: ${error.problem}`);
  }
}
