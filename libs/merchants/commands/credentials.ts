import { hash } from 'node:crypto';
import { type NewAccessToken, SCOPES } from '@app/merchants/domain';
import { type Random, uuidToBase32 } from '@app/event-sourcing';

/** What a merchant needs to use the service. Shown once, at registration; the log holds none of it in clear. */
export interface MerchantCredentials {
  readonly merchantId: string;
  readonly accessToken: string;
  readonly signingSecret: string;
  readonly webhookSecret: string;
}

const SECRET_BYTES = 32;

/**
 * New credentials of 256 random bits each. The prefixes tell people and secret scanners what a leaked text is; the part
 * after `whsec_` is standard base64, as Standard Webhooks wants it.
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

/** The token as it is stored: by its hash; with every scope, no expiry and no name where nothing else is said. */
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
