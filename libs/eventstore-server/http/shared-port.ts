import { createServer as createHttpServer, type RequestListener, type Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

export interface SharedPortOptions {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** PEM. Without it there is no TLS. */
  readonly tls?: { readonly certificate: Buffer; readonly privateKey: Buffer } | undefined;
  /** Takes over an HTTP/2 connection. */
  readonly http2: (connection: Socket) => void;
  readonly http1: RequestListener;
}

/** The start of an HTTP/2 connection, which is no method of HTTP/1.1. */
const HTTP2_BEGINS = 'PRI';
/** A silent connection is closed after this time, in ms; HTTP/2 has its own time-outs after the handover. */
const SILENCE_MS = 30_000;
const HANDSHAKE_MS = 10_000;
const MAX_HTTP1_CONNECTIONS = 256;

/**
 * One port for HTTP/1.1 and HTTP/2: the first bytes of a connection show which it is, with or without TLS. ALPN offers
 * both.
 */
export class SharedPort {
  private readonly listener: Server;
  private readonly http1: HttpServer;
  private readonly http1Connections = new Set<Socket>();
  private readonly undecided = new Set<Socket>();
  /** Where it listens, or listened until it was closed. */
  port = 0;

  private constructor(private readonly options: SharedPortOptions) {
    const { tls } = options;
    const accept = (connection: Socket): void => this.accept(connection);
    this.http1 = createHttpServer(options.http1);
    this.http1.timeout = SILENCE_MS;
    this.listener =
      tls === undefined
        ? createServer(accept)
        : createTlsServer(
            {
              cert: tls.certificate,
              key: tls.privateKey,
              ALPNProtocols: ['h2', 'http/1.1'],
              handshakeTimeout: HANDSHAKE_MS,
            },
            accept,
          );
  }

  /** @throws Error if it cannot listen there. */
  static listen(options: SharedPortOptions): Promise<SharedPort> {
    const shared = new SharedPort(options);
    return new Promise((resolve, reject) => {
      shared.listener.once('error', reject);
      shared.listener.listen(options.port, options.host, () => {
        shared.port = (shared.listener.address() as AddressInfo).port;
        resolve(shared);
      });
    });
  }

  /** Accepts no more connections; HTTP/2 connections belong to the code that took them over. */
  close(): void {
    this.listener.close();
    for (const connection of [...this.http1Connections, ...this.undecided]) connection.destroy();
  }

  private accept(connection: Socket): void {
    const { undecided } = this;
    let said = Buffer.alloc(0);
    const close = (): void => void connection.destroy();
    const decide = (chunk: Buffer): void => {
      said = Buffer.concat([said, chunk]);
      const beginning = said.toString('latin1', 0, HTTP2_BEGINS.length);
      if (said.length < HTTP2_BEGINS.length && HTTP2_BEGINS.startsWith(beginning)) return;
      connection.off('data', decide).off('error', close).off('end', close).off('timeout', close).pause();
      connection.setTimeout(0);
      undecided.delete(connection);
      connection.unshift(said);
      if (beginning === HTTP2_BEGINS) this.options.http2(connection);
      else this.take(connection);
    };
    undecided.add(connection);
    connection.once('close', () => undecided.delete(connection));
    connection.on('data', decide).on('error', close).on('end', close).on('timeout', close);
    connection.setTimeout(SILENCE_MS);
    connection.setNoDelay(true);
  }

  private take(connection: Socket): void {
    if (this.http1Connections.size >= MAX_HTTP1_CONNECTIONS) {
      connection.destroy();
      return;
    }
    this.http1Connections.add(connection);
    connection.once('close', () => this.http1Connections.delete(connection));
    this.http1.emit('connection', connection);
    connection.resume();
  }
}
