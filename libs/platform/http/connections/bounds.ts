import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '@app/event-sourcing';
import { failureLog, type Logger } from '@app/platform/telemetry';
import { endAfterAnswer, isEnding } from './gentle-end';

/** Maximum number of unanswered requests per connection. Clients rarely pipeline, and then only a few requests. */
export const MAX_UNANSWERED = 16;

/**
 * Limits the connections and the unanswered requests on each. A connection beyond `maxConnections` is closed when it
 * opens; a request beyond `MAX_UNANSWERED` is answered by `refuse`, and its connection closes.
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
    // Its answer could no longer be sent.
    if (isEnding(socket)) return;
    const count = (unanswered.get(socket) ?? 0) + 1;
    unanswered.set(socket, count);
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    if (count <= MAX_UNANSWERED) return handle(request, response);
    endAfterAnswer(socket, deps.clock);
    // Reading resumes once the answers before it have been sent.
    socket.pause();
    refuse(request, response);
  });
}
