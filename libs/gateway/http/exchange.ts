/**
 * One HTTP request and its one answer, over kept connections. By Node's own client, which tells whether anything was sent:
 * that decides between "nothing was done" and "nobody knows".
 */
import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { TLSSocket } from 'node:tls';

/** No answer of the protocol is nearly as large. */
export const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
export const MAX_CONNECTIONS = 256;
const MAX_IDLE_CONNECTIONS = 64;
/** Shorter than common servers keep an idle connection, so that a request seldom meets one that is just being closed. */
const IDLE_MS = 4_000;

export interface Answer {
  readonly status: number;
  /** Null when absent or repeated. */
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

/** No full answer came. */
export class ExchangeError extends Error {
  constructor(
    /**
     * - `not-sent`: no connection came about, so nothing was sent.
     * - `stale`: a kept connection ended before anything of an answer; whether the request arrived isn't known.
     * - `unknown`: it may have arrived.
     */
    readonly stage: 'not-sent' | 'stale' | 'unknown',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ExchangeError';
  }
}

/** Connections to the servers of one party, which are kept for the next request. */
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
      // Ends idle connections alone: what is in use, the caller's signal bounds.
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

  /** Ends idle connections; those in use end with their requests. */
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

/** How far a request has got. */
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
      // One that others have used is there already: `reusedSocket` says so only of those that were idle, not of one that
      // was waited for. Of a connection with TLS the request waits for the handshake.
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
    // Also takes the errors that come once nobody waits for one any more.
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
    // Said outright, since NODE_TLS_REJECT_UNAUTHORIZED changes the default.
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2' as const,
    ...(ca === undefined ? {} : { ca }),
  };
}
