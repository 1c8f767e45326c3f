import { type Clock, isoTime, type Random, WriteWatch } from '@app/event-sourcing';

import { GatewayReferenceReusedError, SandboxRefusedError } from '../errors';
import { GatewayOutcomeUnknownError, GatewayUnavailableError, PaymentGateway } from '../port';
import type {
  ChallengeState,
  InquiryOutcome,
  RegisterRequest,
  Registration,
  TransactionOutcome,
  TransactionRequest,
} from '../port';
import { answerOf } from './attempts';
import { type Answer, HttpExchanges, type Outgoing } from './exchange';
import { isAnswerSigned, isGatewayMode, MODE, REQUEST_ID, SIGNATURE, signRequest, TIMESTAMP } from './signing';
import { readErrorCode } from './wire/errors';
import { MalformedMessageError, MessageReader } from './wire/message-reader';
import { readChallenge, readRegistration, registerMessage } from './wire/registrations';
import { readOutcome, transactionMessage } from './wire/transactions';

/** So many calls without a usable answer, one after the other, and the gateway is away. */
const FAILURES_UNTIL_AWAY = 3;
const PROBE_TIMEOUT_MS = 5_000;
/** No transaction ever has this reference: whoever says so, signed, is there. */
export const PROBE_REFERENCE = 'probe';

export interface HttpGatewayOptions {
  /** What precedes `/v1/…`, without a slash at its end. */
  readonly url: string;
  readonly secret: string;
  /** Whether a sandbox will do, which moves no money. */
  readonly allowsSandbox: boolean;
  readonly clock: Clock;
  readonly random: Random;
  /** Trusted certificate authorities in PEM, instead of Node's own. */
  readonly ca?: string;
}

/**
 * A gateway that is reached over HTTP. Nothing is believed but an answer with the right signature for this very request:
 * all else is an unknown outcome, and never a decline.
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

  /**
   * Why no card can be taken, in words that anybody may read; null while calls are answered. Answers at once; while the
   * gateway is away, being asked makes it look again in the background.
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

  /** The same, but null for an error that is expected of this call. */
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
    // Before anything is concluded from it, be it that nothing was done.
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
      // Of a sandbox no further answer is any better.
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

/** An answer that can't be understood tells no outcome. */
function readingOf<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof MalformedMessageError)) throw error;
    throw new GatewayOutcomeUnknownError(`The gateway's answer cannot be understood: ${error.problem}`);
  }
}
