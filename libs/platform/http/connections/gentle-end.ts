import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '@app/event-sourcing';

/** How many more bytes of a refused request are read and discarded: the largest accepted body, and some more. */
export const MAX_DISCARDED_BYTES = 512 * 1024;
/** How long the client has to read its answer while it may still be sending, in ms. */
export const MAX_ENDING_MS = 2_000;

const ending = new WeakSet<Socket>();

/** Whether the request has a body that has not arrived completely. */
export function isBodyUnread({ complete, headers }: IncomingMessage): boolean {
  // Null or undefined for requests that did not come over a network.
  if (complete !== false) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Whether the connection closes after the current answer. Anything else that arrives on it is ignored. */
export function isEnding(socket: Socket): boolean {
  return ending.has(socket);
}

/**
 * Closes the connection after the answer that is about to be sent, although its request has not been read completely.
 * Node would either read for as long as the client sends, or close at once, which makes the client's system discard the
 * answer.
 */
export function endAfterAnswer(socket: Socket, clock: Clock): void {
  ending.add(socket);
  // Node calls this once the last answer of a connection has been passed to the system.
  socket.destroySoon = () => endGently(socket, clock);
}

/** Sends `lastWords` and closes our side, then reads and discards until the client closes or a limit is reached. */
export function endGently(socket: Socket, clock: Clock, lastWords = ''): void {
  ending.add(socket);
  socket.removeAllListeners('data').removeAllListeners('end');
  let left = MAX_DISCARDED_BYTES;
  socket.on('data', (bytes: Buffer) => {
    left -= bytes.length;
    if (left < 0) socket.destroy();
  });
  socket.on('end', () => socket.destroy());
  socket.on('error', () => socket.destroy());
  const limit = clock.deadline(MAX_ENDING_MS);
  limit.signal.addEventListener('abort', () => socket.destroy(), { once: true });
  socket.once('close', () => limit.clear());
  socket.end(lastWords);
  socket.resume();
}
