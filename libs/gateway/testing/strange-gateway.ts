import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

import { type GatewayMode, signAnswer } from '../http/signing';
import { SECRET } from './served-gateway';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly requestId: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Answering = (received: Received, response: ServerResponse, socket: Socket) => void;

/** A gateway on loopback that answers whatever a spec says, signed or not. */
export class StrangeGateway {
  readonly received: Received[] = [];
  connections = 0;
  answering: Answering = () => undefined;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly scheme: string,
  ) {
    server.on(scheme === 'https' ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.connections += 1;
      this.sockets.add(socket.on('error', () => undefined));
      socket.once('close', () => this.sockets.delete(socket));
    });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const requestId = String(headers['x-request-id']);
        const received = { method, path: url, requestId, headers, body: Buffer.concat(chunks).toString() };
        this.received.push(received);
        this.answering(received, response, request.socket);
      });
    });
  }

  static async start(tls?: { readonly key: string; readonly cert: string }): Promise<StrangeGateway> {
    const server = tls === undefined ? createServer() : createHttpsServer(tls);
    const strange = new StrangeGateway(server, tls === undefined ? 'http' : 'https');
    server.on('tlsClientError', () => undefined);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return strange;
  }

  get url(): string {
    return `${this.scheme}://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get openConnections(): number {
    return this.sockets.size;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    if (!this.server.listening) return;
    this.server.close();
    await once(this.server, 'close');
  }
}

export interface StrangeSigning {
  readonly secret?: string;
  readonly mode?: GatewayMode;
  readonly signedStatus?: number;
  readonly signedMode?: GatewayMode;
}

/**
 * Signs as the protocol requires, unless the secret, the request id, the signed status or the signed mode override it.
 */
export function sendSigned(
  { requestId }: Pick<Received, 'requestId'>,
  response: ServerResponse,
  status: number,
  message: unknown,
  { secret = SECRET, mode = 'live', signedStatus = status, signedMode = mode }: StrangeSigning = {},
): void {
  const body = typeof message === 'string' ? message : JSON.stringify(message);
  const signature = signAnswer(secret, { status: signedStatus, mode: signedMode, requestId, body: Buffer.from(body) });
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'X-Gateway-Mode': mode,
    'X-Request-ID': requestId,
    'X-Signature': signature,
  });
  response.end(body);
}
