/**
 * Sends one webhook and reports the outcome, with the stage reached.
 *
 * Each delivery uses its own connection. Reusing connections would save two round trips, but then a name would not be
 * judged again for each delivery, merchants with the same receiver would share its socket, and a connection that the
 * receiver is just closing would cost a step of the retry schedule. It also lets one signal abort everything, from DNS
 * to the body.
 *
 * Proxy environment variables have no effect. Only the response's status and `Retry-After` are used; the beginning of
 * an unsuccessful response is kept for the operator, as harmless text (`answer-beginning.ts`).
 */
import type { AttemptFailureCode } from '@app/webhooks/domain/failure-codes';
import type { Clock } from '@app/event-sourcing/environment';
import type { AllowedCidrs } from './cidr';
import type { DialStage } from './dial';
import { DialError, dialVetted } from './dial';
import { exchange } from './exchange';
import { attemptFailureCode } from './failure-codes';
import type { ResolveHost } from './resolver';
import { createResolveHost, errorCode } from './resolver';
import { parseRetryAfter } from '@app/webhooks/reactor/schedule';
import type { DialTarget } from './url-policy';
import { readWebhookUrl } from './url-policy';

export const WEBHOOK_USER_AGENT = 'Counterfoil-Webhooks/1';
export const WEBHOOK_TIMEOUT_MS = 15_000;
export const WEBHOOK_MAX_RESPONSE_BYTES = 16 * 1024;

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** For the whole attempt: DNS, connection, TLS, request and response. */
  readonly timeoutMs?: number;
  /** Limits the response's headers and body; beyond it the connection is cut and the status counts. */
  readonly maxResponseBytes?: number;
  /** Aborts the attempt at shutdown. */
  readonly signal?: AbortSignal;
}

/**
 * - `response`: the receiver responded. Only 2xx is a success; a redirect is a response like any other, never followed.
 * - `refused`: not sent because of its URL, its headers, or an address it leads to.
 * - `failed`: no complete response. At stage `timeout` the message says how far it got.
 * - `aborted`: the caller's signal fired; the receiver may or may not have got the webhook.
 */
export type DeliveryAttempt = { readonly durationMs: number } & (
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly retryAfterMs: number | null;
      /** The beginning of the receiver's response; null if it is no text, and for a success. */
      readonly beginning: string | null;
    }
  | {
      readonly kind: 'refused';
      readonly stage: 'url' | 'headers' | 'address';
      readonly code: AttemptFailureCode;
      readonly message: string;
    }
  | {
      readonly kind: 'failed';
      readonly stage: 'resolve' | 'connect' | 'tls' | 'timeout' | 'response';
      readonly code: AttemptFailureCode;
      readonly message: string;
      /** Node's or OpenSSL's own code, for the operator's log only. */
      readonly cause?: string;
    }
  | { readonly kind: 'aborted' }
);

type Outcome = DeliveryAttempt extends infer A ? (A extends unknown ? Omit<A, 'durationMs'> : never) : never;

export interface WebhookHttpClientOptions {
  readonly clock: Clock;
  readonly allowed: AllowedCidrs;
  readonly resolve?: ResolveHost;
  /** Trusted certificate authorities in PEM, instead of Node's own. */
  readonly ca?: string | readonly string[];
}

const WHAT_FAILED: Record<Exclude<DialStage, 'address'> | 'response', string> = {
  resolve: 'The host name could not be resolved',
  connect: 'The connection could not be made',
  tls: 'The TLS handshake failed',
  response: 'The connection ended without a full answer',
};

/** Set by this client or by the connection; a caller's values would conflict with them. */
const RESERVED_HEADERS = new Set(
  [
    'host',
    'connection',
    'keep-alive',
    'content-length',
    'transfer-encoding',
    'upgrade',
    'expect',
    'te',
    'trailer',
  ].concat(['user-agent', 'proxy-connection', 'proxy-authorization']),
);

export class WebhookHttpClient {
  private readonly resolve: ResolveHost;

  constructor(private readonly options: WebhookHttpClientOptions) {
    this.resolve = options.resolve ?? createResolveHost();
  }

  /** Never rejects. */
  async deliver(request: WebhookRequest): Promise<DeliveryAttempt> {
    const { clock } = this.options;
    const startedMs = clock.monotonicMs();
    const outcome = await this.attempt(request);
    return { ...outcome, durationMs: clock.monotonicMs() - startedMs };
  }

  private async attempt(request: WebhookRequest): Promise<Outcome> {
    const read = readWebhookUrl(request.url, this.options);
    if (read.kind === 'refused') {
      const { code, message } = read.refusal;
      return { kind: 'refused', stage: code === 'ADDRESS_BLOCKED' ? 'address' : 'url', code, message };
    }
    if (!headersAreSafe(request.headers)) {
      return {
        kind: 'refused',
        stage: 'headers',
        code: 'HEADER_INVALID',
        message: 'A header cannot be sent as it is.',
      };
    }
    const { timeoutMs = WEBHOOK_TIMEOUT_MS, signal: outer } = request;
    if (hasFired(outer)) return { kind: 'aborted' };
    const deadline = this.options.clock.deadline(timeoutMs, ...(outer === undefined ? [] : [outer]));
    const progress: Progress = { got: 'not reached' };
    try {
      return await this.send(read.target, request, deadline.signal, progress);
    } catch (error) {
      if (hasFired(outer)) return { kind: 'aborted' };
      if (deadline.signal.aborted) {
        const message = `No full answer within ${timeoutMs} ms (${progress.got}).`;
        return { kind: 'failed', stage: 'timeout', code: 'TIMEOUT', message };
      }
      return failureOf(error);
    } finally {
      deadline.clear();
    }
  }

  private async send(
    target: DialTarget,
    request: WebhookRequest,
    signal: AbortSignal,
    progress: Progress,
  ): Promise<Outcome> {
    const { allowed, ca, clock } = this.options;
    const socket = await dialVetted(target, {
      allowed,
      resolve: this.resolve,
      signal,
      ...(ca === undefined ? {} : { ca }),
    });
    progress.got = 'connected, no answer';
    try {
      const answer = await exchange({
        socket,
        target,
        headers: { ...request.headers, 'User-Agent': WEBHOOK_USER_AGENT },
        body: request.body,
        maxResponseBytes: request.maxResponseBytes ?? WEBHOOK_MAX_RESPONSE_BYTES,
        signal,
        onStatus: (status) => {
          progress.got = `status ${status}, answer unfinished`;
        },
      });
      const [retryAfter, ...others] = answer.header('retry-after');
      // A header that was sent twice is ambiguous and ignored.
      const isClear = retryAfter !== undefined && others.length === 0;
      const retryAfterMs = isClear ? parseRetryAfter(retryAfter, clock.nowMs()) : null;
      const { status } = answer;
      const [type, encoding] = ['content-type', 'content-encoding'].map((name) => answer.header(name)[0]);
      const beginning = isSuccess(status) ? null : answer.beginning.text(type, encoding);
      return { kind: 'response', status, retryAfterMs, beginning };
    } finally {
      socket.destroy();
    }
  }
}

/** True for 2xx only. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** A function, because the compiler would assume that `aborted` keeps the value of its first check. */
function hasFired(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

interface Progress {
  got: string;
}

/** Names are RFC 9110 tokens; values are visible ASCII with inner blanks, so nothing can end a header line. */
function headersAreSafe(headers: Readonly<Record<string, string>>): boolean {
  return Object.entries(headers).every(
    ([name, value]) =>
      /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name) &&
      !RESERVED_HEADERS.has(name.toLowerCase()) &&
      /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/.test(value),
  );
}

/** Messages use our own wording: Node's may contain a peer's text or an internal address, and merchants see them. */
function failureOf(error: unknown): Outcome {
  if (error instanceof DialError && error.stage === 'address') {
    const message = `The host leads to an address that webhooks are not sent to (${error.reason ?? 'reserved'}).`;
    return { kind: 'refused', stage: 'address', code: 'ADDRESS_BLOCKED', message };
  }
  const stage = error instanceof DialError && error.stage !== 'address' ? error.stage : 'response';
  const cause = errorCode(error);
  const code = attemptFailureCode(stage, cause);
  return { kind: 'failed', stage, code, message: `${WHAT_FAILED[stage]} (${code}).`, cause };
}
