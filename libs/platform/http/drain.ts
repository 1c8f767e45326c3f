import type { Server, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '@app/event-sourcing';

/** At shutdown, how long a client has to finish sending its request, in ms. */
const UNSENT_LIMIT_MS = 2_000;
/** How long requests in progress have, within the 10 s that a shutdown may take, in ms. Few take longer. */
const UNANSWERED_LIMIT_MS = 6_000;

/**
 * Closes a server's connections within a bounded time: no client can block the shutdown, neither by sending half a
 * request nor by not reading its answer. Create it before the server listens.
 */
export class HttpDrain {
  readonly #sockets = new Set<Socket>();
  /** The request that each connection is processing. */
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

  /**
   * Runs `close`, which stops listening and waits for the connections. Connections that take too long are destroyed.
   */
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
    // A complete request deserves an answer: without one, the client cannot know its outcome.
    for (const socket of this.#sockets) if (this.#requests.get(socket)?.complete !== true) socket.destroy();
    await this.clock.sleep(UNANSWERED_LIMIT_MS - UNSENT_LIMIT_MS, closed);
    if (!closed.aborted) for (const socket of this.#sockets) socket.destroy();
  }
}
