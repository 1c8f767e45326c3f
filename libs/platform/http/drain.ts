import type { Server, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '@app/event-sourcing';

/** A client that has sent a part of its request gets this long for the rest once the process stops, in ms. */
const UNSENT_LIMIT_MS = 2_000;
/** What is being answered gets this long, within the 10 s that a stop may take, in ms. Few requests wait longer. */
const UNANSWERED_LIMIT_MS = 6_000;

/**
 * Ends a server's connections within a bounded time: no client can keep a process from stopping, neither by sending half a
 * request nor by not reading its answer. Create it before the server listens.
 */
export class HttpDrain {
  readonly #sockets = new Set<Socket>();
  /** The request that each connection is busy with. */
  readonly #requests = new Map<Socket, IncomingMessage>();

  constructor(
    server: Server,
    private readonly clock: Clock,
  ) {
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const { socket } = request;
      this.#requests.set(socket, request);
      response.once('close', () => {
        if (this.#requests.get(socket) === request) this.#requests.delete(socket);
      });
    });
  }

  /** Closes by `close`, which stops listening and then waits for the connections; those that take too long are cut off. */
  async run(close: () => Promise<unknown>): Promise<void> {
    const closed = new AbortController();
    const cutting = this.#cutOff(closed.signal);
    try {
      await close();
    } finally {
      closed.abort();
      await cutting;
    }
  }

  async #cutOff(closed: AbortSignal): Promise<void> {
    await this.clock.sleep(UNSENT_LIMIT_MS, closed);
    if (closed.aborted) return;
    // What was received whole is worth an answer: whoever doesn't get it can't know what became of the request.
    for (const socket of this.#sockets) if (this.#requests.get(socket)?.complete !== true) socket.destroy();
    await this.clock.sleep(UNANSWERED_LIMIT_MS - UNSENT_LIMIT_MS, closed);
    if (!closed.aborted) for (const socket of this.#sockets) socket.destroy();
  }
}
