import type { Socket } from 'node:net';
import { STATUS_CODES } from 'node:http';
import type { Random } from '@app/kernel';
import type { Logger } from '@app/runtime';
import { ApiError } from './errors/api-error';
import { ERROR_CATALOGUE, type ErrorCode } from './errors/catalogue';
import { JSON_UTF8 } from './errors/error-answers';
import { errorBody } from './errors/error-body';

/** Answers what could not be read as HTTP at all, in the shape of every other error, and ends the connection. */
export function answerClientErrors(
  random: Random,
  logger: Logger,
): (error: NodeJS.ErrnoException, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    const code = codeOf(error);
    const requestId = random.uuid();
    logger.info('request', { requestId, status: ERROR_CATALOGUE[code].status, code });
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    socket.end(rawAnswer(code, requestId), () => socket.destroy());
  };
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

function rawAnswer(code: ErrorCode, requestId: string): string {
  const { status } = ERROR_CATALOGUE[code];
  const body = JSON.stringify(errorBody(new ApiError(code), requestId));
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    `Content-Type: ${JSON_UTF8}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-ID: ${requestId}`,
    'Cache-Control: no-store',
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
