import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '@app/event-sourcing';

/** So much more of a refused request is read and thrown away: a whole body that could have been taken, and what comes with it. */
export const MAX_DISCARDED_BYTES = 512 * 1024;
/** So long the client has for reading its answer while it may still be sending. */
export const MAX_ENDING_MS = 2_000;

const ending = new WeakSet<Socket>();

/** Whether the request brings a body of which not all has arrived. */
export function isBodyUnread({ complete, headers }: IncomingMessage): boolean {
  // Null and undefined are what requests have that never came over a network.
  if (complete !== false) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Whether the connection ends with the answer that it is being given: nothing more that comes on it is acted upon. */
export function isEnding(socket: Socket): boolean {
  return ending.has(socket);
}

/**
 * Lets the connection end with the answer that is about to be sent, though its request has not been read to its end. Node would
 * either read on, for as long as the client cares to send, or close at once, whereupon the client's system throws the answer away.
 */
export function endAfterAnswer(socket: Socket, clock: Clock): void {
  ending.add(socket);
  // What Node calls once the last answer of a connection has been handed to the system.
  socket.destroySoon = () => endGently(socket, clock);
}

/** Says that nothing more will come, with some last words, and reads on until the client has gone, within narrow limits. */
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
