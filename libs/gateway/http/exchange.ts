/**
 * One HTTP request and its answer, over reused connections. Uses Node's own client because it reveals whether anything
 * was sent: that distinguishes "nothing was done" from "unknown".
 */
import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { TLSSocket } from 'node:tls';

/** Much larger than any valid answer. */
export const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
export const MAX_CONNECTIONS = 256;
const MAX_IDLE_CONNECTIONS = 64;
/** Shorter than common servers keep an idle connection, so that a request rarely meets one that is just closing. */
const IDLE_MS = 4_000;

export interface Answer {
  readonly status: number;
  /** Null if absent or repeated. */
  readonly header: (name: string) => string | null;
  readonly body: Uint8Array;
}

export interface Outgoing {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
}

/** There was no complete answer. */
export class ExchangeError extends Error {
  constructor(
    /**
     * - `not-sent`: no connection was established, so nothing was sent.
     * - `stale`: a reused connection ended before any part of an answer; the request may have arrived.
     * - `unknown`: the request may have arrived.
     */
    readonly stage: 'not-sent' | 'stale' | 'unknown',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ExchangeError';
  }
}

/** Connections to one party's servers, kept for reuse. */
export class HttpExchanges {
  private readonly http: HttpAgent;
  private readonly https: HttpsAgent;
  private readonly tls: ReturnType<typeof tlsOptions>;

  /** @param options `ca`: trusted authorities in PEM instead of Node's own. */
  constructor({ ca }: { readonly ca?: string } = {}) {
    this.tls = tlsOptions(ca);
    const kept = {
      keepAlive: true,
      maxSockets: MAX_CONNECTIONS,
      maxFreeSockets: MAX_IDLE_CONNECTIONS,
      scheduling: 'lifo' as const,
      // Closes only idle connections; requests in progress are bounded by the caller's signal.
      timeout: IDLE_MS,
    };
    this.http = new HttpAgent(kept);
    this.https = new HttpsAgent({ ...kept, ...this.tls });
  }

  /** @throws ExchangeError */
  async send(outgoing: Outgoing, { fresh = false }: { readonly fresh?: boolean } = {}): Promise<Answer> {
    const { signal } = outgoing;
    if (signal.aborted) throw new ExchangeError('unknown', 'The time was over before it was sent');
    const sent = this.open(outgoing, fresh);
    const progress = new Progress(sent);
    try {
      const response = await responseTo(sent, outgoing.body);
      const body = await bodyOf(response);
      return { status: response.statusCode ?? 0, header: (name) => onlyValue(response, name), body };
    } catch (cause) {
      sent.destroy();
      throw progress.failure(cause, signal.aborted);
    }
  }

  /** Closes idle connections; the others close with their requests. */
  close(): void {
    this.http.destroy();
    this.https.destroy();
  }

  private open({ method, url, headers, body, signal }: Outgoing, fresh: boolean): ClientRequest {
    const isTls = url.protocol === 'https:';
    const agent = isTls ? this.https : this.http;
    const options = {
      method,
      headers: body.length === 0 ? headers : { ...headers, 'Content-Length': body.length },
      agent: fresh ? false : agent,
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: false,
      signal,
    };
    return isTls ? requestHttps(url, { ...options, ...this.tls }) : requestHttp(url, options);
  }
}

/** How far a request has progressed. */
class Progress {
  private isConnected = false;
  private isAnswered = false;
  private readonly isReused: () => boolean;

  constructor(sent: ClientRequest) {
    this.isReused = () => sent.reusedSocket;
    sent.once('socket', (socket) => {
      const connected = () => {
        this.isConnected = true;
      };
      // A reused connection is already established. `reusedSocket` is set only for one that was idle, not for one that
      // the request waited for. With TLS, the request is sent only after the handshake.
      if (!socket.connecting) connected();
      else socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', connected);
    });
    sent.once('response', () => {
      this.isAnswered = true;
    });
  }

  failure(cause: unknown, isAborted: boolean): ExchangeError {
    if (isAborted) return new ExchangeError('unknown', 'No answer came in time', { cause });
    if (!this.isConnected) return new ExchangeError('not-sent', 'No connection came about', { cause });
    const stage = this.isReused() && !this.isAnswered ? 'stale' : 'unknown';
    return new ExchangeError(stage, 'The connection ended without a full answer', { cause });
  }
}

function responseTo(sent: ClientRequest, body: Uint8Array): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // Also handles errors that occur after the promise has settled.
    sent.on('error', reject);
    sent.on('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new Error('The answer switched protocols'));
    });
    sent.on('response', resolve);
    sent.end(body);
  });
}

async function bodyOf(response: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) throw new Error(`The answer is larger than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function onlyValue(response: IncomingMessage, name: string): string | null {
  const values = response.headersDistinct[name] ?? [];
  return values.length === 1 ? (values[0] ?? null) : null;
}

function tlsOptions(ca: string | undefined) {
  return {
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED changes the default.
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2' as const,
    ...(ca === undefined ? {} : { ca }),
  };
}
