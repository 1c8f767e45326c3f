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

/** Answers requests that cannot be read as HTTP, in the shape of every other error, and closes the connection. */
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
    // The error may appear after the request was refused by its headers. A request gets one answer only.
    if (answer?.headersSent === true) {
      socket.destroySoon();
      return;
    }
    // The error came after a request that is still in progress. That one gets its own answer, which is the connection's
    // last.
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
 * Answers CONNECT, for which Node provides no response object. This is not a proxy, so no path takes the method. The
 * connection closes, because whatever follows on it is meant for another host.
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

/** Node's own client error handler reads the same private field. */
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

/** Refuses a request that exceeds the limit of unanswered requests on its connection, and closes the connection. */
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
