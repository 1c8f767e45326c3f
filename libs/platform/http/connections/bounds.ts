import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '@app/event-sourcing';
import { failureLog, type Logger } from '@app/platform/telemetry';
import { endAfterAnswer, isEnding } from './gentle-end';

/** So many requests of one connection are worked on at a time: clients that send without waiting for answers are rare, and few. */
export const MAX_UNANSWERED = 16;

/**
 * Bounds what one connection and all of them may ask for at the same time. A connection beyond `maxConnections` is closed as it
 * is opened; a request beyond `MAX_UNANSWERED` is refused by `refuse`, and its connection ends with that.
 */
export function boundConnections(
  server: Server,
  deps: { readonly clock: Clock; readonly logger: Logger; readonly maxConnections: number },
  refuse: (request: IncomingMessage, response: ServerResponse) => void,
): void {
  server.maxConnections = deps.maxConnections;
  server.on('drop', () => {
    const message = 'connections are refused: there are as many as MAX_CONNECTIONS allows';
    failureLog(deps).failed({ level: 'warn', message, isForeseen: true }, new Error('too many connections'));
  });
  const [handle, ...others] = server.listeners('request') as RequestListener[];
  if (handle === undefined || others.length > 0) throw new Error('The server has one who handles its requests');
  server.removeListener('request', handle);
  const unanswered = new WeakMap<Socket, number>();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    // Its answer could not be sent any more.
    if (isEnding(socket)) return;
    const count = (unanswered.get(socket) ?? 0) + 1;
    unanswered.set(socket, count);
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    if (count <= MAX_UNANSWERED) return handle(request, response);
    endAfterAnswer(socket, deps.clock);
    // Read on once the answers before it have been sent.
    socket.pause();
    refuse(request, response);
  });
}
