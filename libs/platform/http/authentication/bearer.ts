import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { countHeader, headerOf } from './headers';

/** The token68 of RFC 6750; the scheme's name is case-insensitive. */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]{1,512}=*)$/i;

/** The token of `Authorization: Bearer <token>`; null if there is none, or more than one Authorization header. */
export function bearerToken(request: IncomingMessage): string | null {
  const header = headerOf(request, 'authorization');
  if (header === null || countHeader(request, 'authorization') !== 1) return null;
  return BEARER.exec(header)?.[1] ?? null;
}

/** Compares tokens with the operator token in constant time. */
export class OperatorToken {
  readonly #digest: Buffer;

  constructor(token: string) {
    this.#digest = hash('sha256', token, 'buffer');
  }

  equals(token: string): boolean {
    return timingSafeEqual(hash('sha256', token, 'buffer'), this.#digest);
  }
}
