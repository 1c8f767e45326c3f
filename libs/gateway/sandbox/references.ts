import { hash } from 'node:crypto';

import { encodeBase32, type Random } from '@app/event-sourcing';

const ID_DIGITS = 10;
const DIGEST_CHARACTERS = 16;
const GATEWAY_REFERENCE = /^gw_(\d{10})[0-9A-HJKMNP-TV-Z]{16}$/;
const CHALLENGE_TOKEN = /^(\d{1,10})\.([A-Za-z0-9_-]{43})$/;

/**
 * 16 characters of Crockford base32: the first 80 bits of a SHA-256 over both parts. Together with the payment id it is
 * the registration's key; the fingerprint itself is not stored.
 */
export function registrationDigest(paymentId: string, fingerprint: string): string {
  return encodeBase32(hash('sha256', JSON.stringify([paymentId, fingerprint]), 'buffer'), DIGEST_CHARACTERS);
}

/** `gw_` and 26 characters: the registration's number in decimal, for lookup, and its digest. */
export function gatewayReferenceOf(registrationId: number, digest: string): string {
  return `gw_${String(registrationId).padStart(ID_DIGITS, '0')}${digest}`;
}

/** The number in a gateway reference; null if it cannot be one. */
export function registrationIdIn(gatewayReference: string): number | null {
  const found = GATEWAY_REFERENCE.exec(gatewayReference);
  return found === null ? null : Number(found[1]);
}

/** 256 random bits as 43 characters of base64url. Its holder may answer the challenge. */
export function challengeSecret(random: Random): string {
  return Buffer.from(random.bytes(32)).toString('base64url');
}

/** The secret, prefixed with the number of the registration by which the challenge is found. */
export function challengeToken(registrationId: number, secret: string): string {
  return `${registrationId}.${secret}`;
}

/** The parts of a token; null if it cannot be one. */
export function tokenParts(token: string): { readonly id: number; readonly secret: string } | null {
  const [, id, secret] = CHALLENGE_TOKEN.exec(token) ?? [];
  return id === undefined || secret === undefined ? null : { id: Number(id), secret };
}
