import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HealthServerOptions {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** The program's build information, for both responses. */
  readonly build: object;
  readonly readiness: () => { readonly ready: boolean; readonly reasons: readonly object[] };
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const JSON_TYPE = 'application/json; charset=utf-8';
/** Probes are small and quick; anything slower is cut off. */
const REQUEST_TIMEOUT_MS = 5_000;
const MAX_CONNECTIONS = 64;

/** Health and metrics over HTTP/1.1 on a separate port. */
export class HealthServer {
  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  /** @throws Error if it cannot listen there. */
  static start(options: HealthServerOptions): Promise<HealthServer> {
    const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
      void answer(request, options).then((given) => send(response, given));
    });
    server.maxConnections = MAX_CONNECTIONS;
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.port, options.host, () => {
        resolve(new HealthServer(server, (server.address() as AddressInfo).port));
      });
    });
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    await closed;
  }
}

async function answer({ method, url }: IncomingMessage, options: HealthServerOptions): Promise<Answer> {
  if (method !== 'GET' && method !== 'HEAD') return json(405, { status: 'method not allowed' });
  switch (url) {
    case '/health/live':
      return json(200, { status: 'live', ...options.build });
    case '/health/ready': {
      const { ready, reasons } = options.readiness();
      return json(ready ? 200 : 503, { status: ready ? 'ready' : 'not ready', reasons, ...options.build });
    }
    case '/metrics':
      return { status: 200, type: options.metrics.contentType, body: await options.metrics.text() };
    default:
      return json(404, { status: 'not found' });
  }
}

function json(status: number, body: object): Answer {
  return { status, type: JSON_TYPE, body: JSON.stringify(body) };
}

function send(response: ServerResponse, { status, type, body }: Answer): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
  response.end(body);
}
