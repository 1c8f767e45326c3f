import { createHash } from 'node:crypto';

import type { Random } from '@app/kernel';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const REFERENCE_CHARACTERS = 26;

/**
 * `gw_` and 26 characters of Crockford base32: the first 130 bits of a SHA-256 over both parts. Being derived, it is the key
 * of the registration, and the fingerprint itself needs no place in the books.
 */
export function gatewayReferenceOf(paymentId: string, fingerprint: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([paymentId, fingerprint]))
    .digest('hex');
  const bits = BigInt(`0x${digest}`) >> BigInt(256 - 5 * REFERENCE_CHARACTERS);
  const characters = Array.from({ length: REFERENCE_CHARACTERS }, (_, index) =>
    CROCKFORD.charAt(Number((bits >> BigInt(5 * (REFERENCE_CHARACTERS - 1 - index))) & 31n)),
  );
  return `gw_${characters.join('')}`;
}

/** 256 random bits as 43 characters of base64url: whoever holds it may answer the challenge. */
export function challengeToken(random: Random): string {
  return Buffer.from(random.bytes(32)).toString('base64url');
}

export function isChallengeToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}
