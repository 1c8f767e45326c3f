import { SCOPES } from '@app/merchants/domain';
import type { ResourceDocs } from '@app/platform/http/openapi/operation-docs';
import {
  id,
  INTEGER,
  type JsonObject,
  listOf,
  MERCHANT_ID,
  object,
  oneOf,
  orNull,
  pageOf,
  ref,
  TEXT,
  TIME,
  YES_OR_NO,
} from '@app/platform/http/openapi/schema';

/** The errors of operations that read the merchant's stream. */
const OF_STREAM = ['EVENT_STORE_UNAVAILABLE', 'HISTORY_DAMAGED'] as const;

const ACCESS_TOKEN = { type: 'string', pattern: '^cft_' };
const SIGNING_SECRET = { type: 'string', pattern: '^cfs_' };
const WEBHOOK_SECRET = { type: 'string', pattern: '^whsec_' };
const TOKEN = {
  tokenId: id('tok'),
  name: orNull(TEXT),
  scopes: listOf(oneOf(...SCOPES)),
  createdAt: TIME,
  expiresAt: orNull(TIME),
};

function rotation(which: 'signing' | 'webhook', secret: JsonObject, what: string): ResourceDocs['operations'][string] {
  const name = which === 'signing' ? 'SigningSecret' : 'WebhookSecret';
  return {
    operationId: `rotate${name}`,
    tag: 'Merchants',
    summary: `Rotate the ${which} secret`,
    description:
      `Creates a new secret, which is shown only once. ${what} The grace is the merchant's \`rotationGraceSeconds\` at the time of the ` +
      `rotation. At most 8 secrets are valid at once. A retry with the same Idempotency-Key gets the same secret and rotates nothing. ` +
      `Without a key, each call rotates.`,
    answers: {
      200: {
        description: 'The new secret.',
        schema: object({ merchantId: MERCHANT_ID, [`${which}Secret`]: secret, previousSecretExpiresAt: TIME }),
        headers: ['Cache-Control'],
      },
    },
    errors: ['MERCHANT_NOT_FOUND', 'ROUTE_NOT_FOUND', 'TOO_MANY_SECRETS'],
  };
}

function suspension(
  which: 'suspend' | 'reinstate',
  summary: string,
  description: string,
): ResourceDocs['operations'][string] {
  return {
    operationId: `${which}Merchant`,
    tag: 'Merchants',
    summary,
    description,
    requestExample: { reason: 'Reported for fraud; ticket 4711' },
    answers: {
      200: { description: 'The merchant as it is now.', schema: ref('Merchant'), headers: ['Cache-Control'] },
    },
    errors: ['MERCHANT_NOT_FOUND', 'ROUTE_NOT_FOUND'],
  };
}

const tokens: ResourceDocs['operations'] = {
  'GET /admin/v1/merchants/:merchantId/tokens': {
    operationId: 'listTokens',
    tag: 'Merchants',
    summary: "List a merchant's access tokens",
    description:
      'Returns the tokens, the newest first, revoked and expired ones too. The token itself is never shown again.',
    answers: { 200: { description: 'A page of tokens.', schema: pageOf(ref('Token')), headers: ['Cache-Control'] } },
    errors: ['MERCHANT_NOT_FOUND', 'ROUTE_NOT_FOUND', ...OF_STREAM],
  },
  'POST /admin/v1/merchants/:merchantId/tokens': {
    operationId: 'issueToken',
    tag: 'Merchants',
    summary: 'Issue an access token',
    description:
      'The token is shown only once. Without `scopes`, or without a body, it has every scope. Without `expiresAt` it is valid until it is ' +
      'revoked. `note` warns of both. A merchant can have 100 live tokens. After a lost answer, repeat the request with the same Idempotency-Key.',
    requestExample: { name: 'till-3', scopes: ['payments:read'], expiresAt: '2031-01-01T00:00:00Z' },
    answers: {
      201: {
        description: 'The token.',
        schema: object({ ...TOKEN, accessToken: ACCESS_TOKEN, note: orNull(TEXT) }),
        headers: ['Cache-Control'],
      },
    },
    errors: ['MERCHANT_NOT_FOUND', 'ROUTE_NOT_FOUND', 'TOO_MANY_TOKENS'],
  },
  'DELETE /admin/v1/merchants/:merchantId/tokens/:tokenId': {
    operationId: 'revokeToken',
    tag: 'Merchants',
    summary: 'Revoke an access token',
    description:
      'Takes effect at once in the process that answers, and within a second in every other. Revoking a token again changes nothing.',
    answers: { 204: { description: 'It is revoked.', schema: null } },
    errors: ['MERCHANT_NOT_FOUND', 'TOKEN_NOT_FOUND', 'ROUTE_NOT_FOUND'],
  },
};

export const merchantDocs: ResourceDocs = {
  tag: { name: 'Merchants', description: 'Merchants, their access tokens and secrets.' },
  schemas: {
    RegisteredMerchant: object({
      merchantId: MERCHANT_ID,
      name: TEXT,
      accessToken: ACCESS_TOKEN,
      signingSecret: SIGNING_SECRET,
      webhookSecret: WEBHOOK_SECRET,
      note: orNull(TEXT),
    }),
    MerchantItem: object({
      merchantId: MERCHANT_ID,
      name: orNull(TEXT),
      status: oneOf('ACTIVE', 'SUSPENDED', 'DAMAGED'),
      registeredAt: orNull(TIME),
      suspendedAt: orNull(TIME),
    }),
    Merchant: object({
      merchantId: MERCHANT_ID,
      name: TEXT,
      status: oneOf('ACTIVE', 'SUSPENDED'),
      registeredAt: TIME,
      suspendedAt: orNull(TIME),
      suspensionReason: orNull(TEXT),
      requireSignatures: YES_OR_NO,
      rotationGraceSeconds: INTEGER,
      feeSchedule: object({ basisPoints: INTEGER, fixed: listOf(ref('Amount')) }),
    }),
    Token: object({
      ...TOKEN,
      revokedAt: orNull(TIME),
      lastUsedAt: orNull(TIME),
      usesKnownSince: orNull(TIME),
    }),
  },
  operations: {
    'GET /admin/v1/merchants': {
      operationId: 'listMerchants',
      tag: 'Merchants',
      summary: 'List the merchants',
      description: 'Returns all merchants, the newest first.',
      answers: {
        200: { description: 'A page of merchants.', schema: pageOf(ref('MerchantItem')), headers: ['Cache-Control'] },
      },
      errors: ['EVENT_STORE_UNAVAILABLE'],
    },
    'POST /admin/v1/merchants': {
      operationId: 'registerMerchant',
      tag: 'Merchants',
      summary: 'Register a merchant',
      description:
        'Registers a merchant with two secrets and a first access token that has every scope. They are shown only once; a retry with the ' +
        'same Idempotency-Key gets them again.',
      requestExample: { merchantId: 'mer_demo', name: 'Demo shop' },
      answers: {
        201: { description: 'The merchant.', schema: ref('RegisteredMerchant'), headers: ['Cache-Control'] },
      },
      errors: ['MERCHANT_EXISTS'],
    },
    'GET /admin/v1/merchants/:merchantId': {
      operationId: 'readMerchant',
      tag: 'Merchants',
      summary: 'Read a merchant',
      description: 'Returns the merchant and its current settings, without secrets and tokens.',
      answers: {
        200: {
          description: 'The merchant with its current settings.',
          schema: ref('Merchant'),
          headers: ['Cache-Control'],
        },
      },
      errors: ['MERCHANT_NOT_FOUND', 'ROUTE_NOT_FOUND', ...OF_STREAM],
    },
    'PATCH /admin/v1/merchants/:merchantId': {
      operationId: 'changeMerchant',
      tag: 'Merchants',
      summary: "Change a merchant's name and settings",
      description: 'Changes the fields that are sent. New fees apply to later captures.',
      requestExample: {
        requireSignatures: true,
        feeSchedule: { basisPoints: 140, fixed: [{ value: '0.25', currency: 'EUR' }] },
      },
      answers: {
        200: {
          description: 'The merchant with its current settings.',
          schema: ref('Merchant'),
          headers: ['Cache-Control'],
        },
      },
      errors: ['MERCHANT_NOT_FOUND', 'ROUTE_NOT_FOUND'],
    },
    'POST /admin/v1/merchants/:merchantId/suspend': suspension(
      'suspend',
      'Suspend a merchant',
      'Refuses all requests of the merchant with `MERCHANT_SUSPENDED`: at once in the process that answers, and within a second in every ' +
        'other. Payments and refunds in progress go on, and webhooks are sent. If the merchant is suspended already, nothing changes, and ' +
        'the first reason stays.',
    ),
    'POST /admin/v1/merchants/:merchantId/reinstate': suspension(
      'reinstate',
      'Reinstate a suspended merchant',
      'Accepts the requests of the merchant again. Tokens that have expired or were revoked stay invalid. If the merchant is active, nothing changes.',
    ),
    'POST /admin/v1/merchants/:merchantId/signing-secret/rotate': rotation(
      'signing',
      SIGNING_SECRET,
      'Until its grace ends, requests can still be signed with a replaced secret.',
    ),
    'POST /admin/v1/merchants/:merchantId/webhook-secret/rotate': rotation(
      'webhook',
      WEBHOOK_SECRET,
      'Until its grace ends, a replaced secret stays valid: `X-Signature` uses the oldest valid secret, and `webhook-signature` carries a ' +
        'signature for each.',
    ),
    ...tokens,
  },
};
