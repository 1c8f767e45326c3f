import type { IncomingMessage } from 'node:http';
import { containsCardNumber } from '@app/cards';
import type { Random } from '@app/event-sourcing';
import type { FastifyRequest } from 'fastify';
import { headerOf } from './authentication/headers';

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/**
 * The request's X-Request-ID, or a new one if it is absent, malformed or contains a card number: it is echoed, logged,
 * and stored with every event that the request causes.
 */
export function requestIdOf(request: IncomingMessage, random: Random): string {
  const given = headerOf(request, 'x-request-id');
  return given !== null && REQUEST_ID.test(given) && !containsCardNumber(given) ? given : random.uuid();
}

/** Whether the client sent an X-Request-ID that was not accepted. */
export function hasMalformedRequestId(request: FastifyRequest): boolean {
  const given = headerOf(request.raw, 'x-request-id');
  return given !== null && given !== request.id;
}
