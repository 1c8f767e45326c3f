import type { Duplex } from 'node:stream';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock, Random } from '@app/event-sourcing';
import type { Logger, Metrics } from '@app/platform/telemetry';
import { peerOf, type SourceAddresses } from './authentication/source-address';
import { endAfterAnswer, endGently, isEnding } from './connections/gentle-end';
import { ApiError } from './errors/api-error';
import { ERROR_CATALOGUE, type ErrorCode } from './errors/catalogue';
import { JSON_UTF8 } from './errors/error-answers';
import { errorBody } from './errors/error-body';
import { requestIdOf } from './request-id';
import { type RouteTable, strictPath } from './route-table';

/** Answers what could not be read as HTTP at all, in the shape of every other error, and ends the connection. */
export function answerClientErrors({
  random,
  clock,
  logger,
}: {
  readonly random: Random;
  readonly clock: Clock;
  readonly logger: Logger;
}): (error: NodeJS.ErrnoException, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || socket.destroyed || isEnding(socket)) return;
    const answer = answerUnderWay(socket);
    // What is wrong with a request may show after its headers have been refused: one request, one answer.
    if (answer?.headersSent === true) {
      socket.destroySoon();
      return;
    }
    // What is wrong came behind a request that is still worked on: this is no answer to that one, which is the last that is given.
    if (answer?.req.complete === true) {
      answer.shouldKeepAlive = false;
      endAfterAnswer(socket, clock);
      return;
    }
    const code = codeOf(error);
    const requestId = random.uuid();
    logger.info('request', { requestId, source: peerOf(socket), status: ERROR_CATALOGUE[code].status, code });
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    endGently(socket, clock, rawAnswer(code, requestId));
  };
}

/**
 * Answers CONNECT, for which Node has no response: this is no proxy, so it is a method that no path takes. The connection ends
 * with it, since what follows on it would be meant for somewhere else.
 */
export function answerConnects(
  routes: RouteTable,
  deps: {
    readonly random: Random;
    readonly logger: Logger;
    readonly metrics: () => Metrics;
    readonly sources: SourceAddresses;
  },
): (request: IncomingMessage, socket: Duplex) => void {
  const { random, logger, metrics, sources } = deps;
  return (request, socket) => {
    socket.on('error', () => socket.destroy());
    const path = strictPath(request.url ?? '');
    const methods = path === null ? [] : routes.methodsAt(path);
    const code = methods.length === 0 ? 'ROUTE_NOT_FOUND' : 'METHOD_NOT_ALLOWED';
    const { status } = ERROR_CATALOGUE[code];
    const requestId = requestIdOf(request, random);
    const source = sources.of(request);
    logger.info('request', { requestId, method: 'CONNECT', path: 'unknown', status, durationMs: 0, source, code });
    metrics().httpRequest('CONNECT', 'unknown', status, 0);
    const allow = methods.length === 0 ? [] : [`Allow: ${methods.join(', ')}`];
    socket.end(rawAnswer(code, requestId, allow), () => socket.destroy());
  };
}

/** As Node's own handler looks for it. */
function answerUnderWay(socket: Socket): ServerResponse | null {
  const { _httpMessage: answer } = socket as Socket & { readonly _httpMessage?: ServerResponse | null };
  return answer ?? null;
}

function codeOf(error: NodeJS.ErrnoException): ErrorCode {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return 'HEADERS_TOO_LARGE';
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'REQUEST_TIMEOUT';
    default:
      return 'MALFORMED_REQUEST';
  }
}

/** Refuses a request that is one too many on its connection, which ends with it. */
export function refuseUnread({
  random,
  logger,
  metrics,
}: {
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: () => Metrics;
}): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const code = 'RATE_LIMITED';
    const { status } = ERROR_CATALOGUE[code];
    const requestId = requestIdOf(request, random);
    const method = request.method ?? '';
    logger.info('request', { requestId, method, path: 'unknown', status, durationMs: 0, code });
    metrics().httpRequest(method, 'unknown', status, 0);
    const headers = {
      'Content-Type': JSON_UTF8,
      'X-Request-ID': requestId,
      'Retry-After': '1',
      'Cache-Control': 'no-store',
    };
    response.writeHead(status, { ...headers, Connection: 'close' });
    response.end(JSON.stringify(errorBody(new ApiError(code), requestId)));
  };
}

function rawAnswer(code: ErrorCode, requestId: string, headers: readonly string[] = []): string {
  const { status } = ERROR_CATALOGUE[code];
  const body = JSON.stringify(errorBody(new ApiError(code), requestId));
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    `Content-Type: ${JSON_UTF8}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-ID: ${requestId}`,
    'Cache-Control: no-store',
    ...headers,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
