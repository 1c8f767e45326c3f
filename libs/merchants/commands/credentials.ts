import { hash } from 'node:crypto';
import { type NewAccessToken, SCOPES } from '@app/merchants/domain';
import { type Random, uuidToBase32 } from '@app/event-sourcing';

/**
 * The credentials that a merchant needs to use the service. Shown once, at registration; the log holds none in clear.
 */
export interface MerchantCredentials {
  readonly merchantId: string;
  readonly accessToken: string;
  readonly signingSecret: string;
  readonly webhookSecret: string;
}

const SECRET_BYTES = 32;

/**
 * New credentials of 256 random bits each. The prefixes let people and secret scanners recognise a leaked credential;
 * the part after `whsec_` is standard base64, as Standard Webhooks requires.
 */
export function makeCredentials(
  random: Random,
  merchantId = `mer_${uuidToBase32(random.uuid())}`,
): MerchantCredentials {
  return {
    merchantId,
    accessToken: makeAccessToken(random),
    signingSecret: makeSigningSecret(random),
    webhookSecret: makeWebhookSecret(random),
  };
}

export function makeAccessToken(random: Random): string {
  return `cft_${secret(random, 'base64url')}`;
}

export function makeSigningSecret(random: Random): string {
  return `cfs_${secret(random, 'base64url')}`;
}

export function makeWebhookSecret(random: Random): string {
  return `whsec_${secret(random, 'base64')}`;
}

function secret(random: Random, encoding: 'base64' | 'base64url'): string {
  return Buffer.from(random.bytes(SECRET_BYTES)).toString(encoding);
}

/** The token as it is stored, hashed; with every scope, no expiry and no name by default. */
export function newToken(
  random: Random,
  accessToken: string,
  {
    scopes = SCOPES,
    expiresAt = null,
    name = null,
  }: Partial<Pick<NewAccessToken, 'scopes' | 'expiresAt' | 'name'>> = {},
): NewAccessToken {
  return {
    tokenId: `tok_${uuidToBase32(random.uuid())}`,
    tokenHash: hash('sha256', accessToken, 'hex'),
    scopes,
    expiresAt,
    name,
  };
}
