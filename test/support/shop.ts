import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The merchant's own website on loopback, to which customers return. */
export class Shop {
  /** Paths with their queries, in the order of the requests. */
  readonly visits: string[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Shop> {
    const server = createServer();
    const shop = new Shop(server);
    server.on('request', (request, response) => {
      if (request.url !== '/favicon.ico') shop.visits.push(request.url ?? '');
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
      response.end('<!doctype html><title>Shop</title><h1>Thank you</h1>');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return shop;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
