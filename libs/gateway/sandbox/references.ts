import { createHash } from 'node:crypto';

import { encodeBase32, type Random } from '@app/kernel';

const REFERENCE_CHARACTERS = 26;

/**
 * `gw_` and 26 characters of Crockford base32: the first 130 bits of a SHA-256 over both parts. Being derived, it is the key
 * of the registration, and the fingerprint itself needs no place in the books.
 */
export function gatewayReferenceOf(paymentId: string, fingerprint: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([paymentId, fingerprint]))
    .digest();
  return `gw_${encodeBase32(digest, REFERENCE_CHARACTERS)}`;
}

/** 256 random bits as 43 characters of base64url: whoever holds it may answer the challenge. */
export function challengeToken(random: Random): string {
  return Buffer.from(random.bytes(32)).toString('base64url');
}

export function isChallengeToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}
