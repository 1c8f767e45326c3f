/**
 * One HTTP request and its response over a socket that is already connected. Uses Node's own client, because undici
 * fails on a receiver that sends `100 Continue` unasked, which is allowed and does happen.
 */
import { type IncomingMessage, request as requestHttp } from 'node:http';
import type { Socket } from 'node:net';
import { Beginning } from './answer-beginning';
import type { DialTarget } from './url-policy';

export interface Exchange {
  readonly socket: Socket;
  readonly target: DialTarget;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /**
   * Limits everything the receiver sends: interim responses, headers and body. The rest of a longer body is not read.
   */
  readonly maxResponseBytes: number;
  readonly signal: AbortSignal;
  /** Called when the response's headers have arrived. */
  readonly onStatus: (status: number) => void;
}

export interface Answer {
  readonly status: number;
  /** Every value of the header, if it was sent more than once. */
  readonly header: (name: string) => readonly string[];
  readonly beginning: Beginning;
}

/** Rejects with Node's error if there is no complete response. The caller destroys the socket. */
export async function exchange(one: Exchange): Promise<Answer> {
  const failure: { first?: Error } = {};
  const { response, leftBytes } = await respondedTo(one, failure);
  const status = response.statusCode ?? 0;
  one.onStatus(status);
  const beginning = new Beginning();
  try {
    await readUpTo(response, leftBytes, beginning);
  } catch (error) {
    // For a body that violates HTTP, the response's error is just "aborted"; the request's error has the reason.
    throw failure.first ?? error;
  }
  return { status, header: (name) => response.headersDistinct[name] ?? [], beginning };
}

interface Responded {
  readonly response: IncomingMessage;
  readonly leftBytes: number;
}

function respondedTo(
  { socket, target, headers, body, maxResponseBytes, signal }: Exchange,
  failure: { first?: Error },
): Promise<Responded> {
  return new Promise((resolve, reject) => {
    let leftBytes = maxResponseBytes;
    // Stays registered, for errors that come after the exchange has ended.
    const fail = (error: Error) => {
      failure.first ??= error;
      socket.destroy();
      reject(error);
    };
    const sent = requestHttp({
      createConnection: () => socket,
      method: 'POST',
      path: target.pathAndQuery,
      setHost: false,
      headers: { Host: new URL(target.origin).host, ...headers, 'Content-Length': Buffer.byteLength(body) },
      maxHeaderSize: maxResponseBytes,
      insecureHTTPParser: false,
      signal,
    });
    sent.on('error', fail);
    sent.on('upgrade', () => fail(new UnreadableAnswerError('The receiver switched protocols')));
    sent.on('information', ({ rawHeaders }) => {
      leftBytes -= sizeOf(rawHeaders);
      if (leftBytes <= 0) fail(new UnreadableAnswerError('The receiver sent too many interim answers'));
    });
    sent.on('response', (response) => resolve({ response, leftBytes: leftBytes - sizeOf(response.rawHeaders) }));
    sent.end(body);
  });
}

class UnreadableAnswerError extends Error {
  override readonly name = 'UnreadableAnswerError';
  readonly code = 'UNREADABLE_ANSWER';
}

/**
 * Reads the body and keeps only its beginning. Leaving the loop early destroys the body, and with it the connection.
 */
async function readUpTo(body: AsyncIterable<Uint8Array>, maxBytes: number, beginning: Beginning): Promise<void> {
  let leftBytes = maxBytes;
  for await (const chunk of body) {
    beginning.add(chunk);
    leftBytes -= chunk.byteLength;
    if (leftBytes <= 0) return;
  }
}

const STATUS_LINE_BYTES = 'HTTP/1.1 200 \r\n\r\n'.length;

function sizeOf(rawHeaders: readonly string[]): number {
  return rawHeaders.reduce((sum, text) => sum + text.length + '\r\n'.length, STATUS_LINE_BYTES);
}
