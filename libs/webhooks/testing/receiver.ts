/** A receiver on a free loopback port that keeps what it receives and is shut down with all its connections. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import type { SelfSigned } from './self-signed';

export interface ReceivedRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly port: number;
  readonly requests: readonly ReceivedRequest[];
  /** Connections accepted so far. */
  readonly connections: number;
  /** Resolves once this many requests (or connections, for a raw receiver) have arrived. */
  reached(count: number): Promise<void>;
  /** Resolves once no connection is open. */
  allClosed(): Promise<void>;
  close(): Promise<void>;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export async function startReceiver(
  answer: Answer,
  options: { readonly tls?: SelfSigned; readonly host?: string; readonly port?: number } = {},
): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const tracker = new Tracker();
  const listener: Answer = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      requests.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      tracker.count();
      answer(request, response);
    });
  };
  const server = options.tls ? createHttpsServer(options.tls, listener) : createHttpServer(listener);
  return tracker.listen(server, requests, options);
}

/** A receiver below the HTTP level, for responses that no HTTP server would send. */
export async function startRawReceiver(onSocket: (socket: Socket) => void): Promise<Receiver> {
  const tracker = new Tracker();
  const server = createTcpServer((socket) => {
    tracker.count();
    onSocket(socket);
  });
  return tracker.listen(server, [], {});
}

class Tracker {
  private readonly sockets = new Set<Socket>();
  private connections = 0;
  private counted = 0;
  private waiting: (() => void)[] = [];

  count(): void {
    this.counted += 1;
    this.wake();
  }

  async listen(
    server: Server,
    requests: readonly ReceivedRequest[],
    { host = '127.0.0.1', port = 0 }: { readonly host?: string; readonly port?: number },
  ): Promise<Receiver> {
    server.on('connection', (socket: Socket) => {
      this.connections += 1;
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        this.wake();
      });
    });
    server.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, host, resolve);
    });
    const connections = () => this.connections;
    return {
      port: (server.address() as AddressInfo).port,
      requests,
      get connections() {
        return connections();
      },
      reached: (count) => this.until(() => this.counted >= count),
      allClosed: () => this.until(() => this.sockets.size === 0),
      close: () =>
        new Promise((resolve) => {
          for (const socket of this.sockets) socket.destroy();
          server.close(() => {
            resolve();
          });
        }),
    };
  }

  private async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  private wake(): void {
    const woken = this.waiting;
    this.waiting = [];
    for (const resolve of woken) resolve();
  }
}
