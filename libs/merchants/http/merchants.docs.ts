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

/** Read from the merchant's stream. */
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
      `Makes a new one, shown this one time. ${what} The grace is the merchant's \`rotationGraceSeconds\` at this moment: one that ` +
      `is running isn't changed by changing that. At most 8 hold at once. A repetition with the same Idempotency-Key is given ` +
      `the same secret, and rotates nothing; without one, each call rotates once more.`,
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
    description: 'The newest first, revoked and expired ones too. What opens the door is never shown again.',
    answers: { 200: { description: 'A page of tokens.', schema: pageOf(ref('Token')), headers: ['Cache-Control'] } },
    errors: ['MERCHANT_NOT_FOUND', 'ROUTE_NOT_FOUND', ...OF_STREAM],
  },
  'POST /admin/v1/merchants/:merchantId/tokens': {
    operationId: 'issueToken',
    tag: 'Merchants',
    summary: 'Issue an access token',
    description:
      'Shown only once. Without `scopes`, or without a body, it has all of them, and without `expiresAt` it is valid until it is revoked: ' +
      '`note` says so. A merchant can have 100 live tokens. After a lost answer, repeat the request with the same Idempotency-Key.',
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
      'At once in the process that answers, within a second in every other. Revoking it again changes nothing.',
    answers: { 204: { description: 'It is revoked.', schema: null } },
    errors: ['MERCHANT_NOT_FOUND', 'TOKEN_NOT_FOUND', 'ROUTE_NOT_FOUND'],
  },
};

export const merchantDocs: ResourceDocs = {
  tag: { name: 'Merchants', description: "The operator's: merchants and what opens the API for them." },
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
      description: 'All that were ever registered, the newest first.',
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
        'Makes a merchant with a first access token of all scopes and its two secrets, which are shown this one time: ' +
        'a repetition with the same Idempotency-Key is given them once more.',
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
      description: 'Its name and the settings that hold now. Its secrets and access tokens are never shown again.',
      answers: {
        200: {
          description: 'The merchant with the settings that hold now.',
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
      description: 'What is absent stays as it is. Fees hold for captures from now on.',
      requestExample: {
        requireSignatures: true,
        feeSchedule: { basisPoints: 140, fixed: [{ value: '0.25', currency: 'EUR' }] },
      },
      answers: {
        200: {
          description: 'The merchant with the settings that hold now.',
          schema: ref('Merchant'),
          headers: ['Cache-Control'],
        },
      },
      errors: ['MERCHANT_NOT_FOUND', 'ROUTE_NOT_FOUND'],
    },
    'POST /admin/v1/merchants/:merchantId/suspend': suspension(
      'suspend',
      'Suspend a merchant',
      'Its access tokens let nobody in: every request is answered with `MERCHANT_SUSPENDED`, at once in the process that answers, ' +
        'within a second in every other. What was promised before goes on: payments under way are captured, voided or expire as ' +
        'they would have, pending refunds are made, and webhooks are sent. One that is suspended stays so, for the reason given first.',
    ),
    'POST /admin/v1/merchants/:merchantId/reinstate': suspension(
      'reinstate',
      'Reinstate a suspended merchant',
      'Its access tokens let in again, as far as they have not expired or been revoked. One that is active stays so.',
    ),
    'POST /admin/v1/merchants/:merchantId/signing-secret/rotate': rotation(
      'signing',
      SIGNING_SECRET,
      'Until its grace is over, requests may be signed with the replaced one, too, and so with each that was replaced before.',
    ),
    'POST /admin/v1/merchants/:merchantId/webhook-secret/rotate': rotation(
      'webhook',
      WEBHOOK_SECRET,
      'Until its grace is over, the replaced one holds, too, and so does each that was replaced before: `X-Signature` stays with the ' +
        'oldest, and `webhook-signature` holds all.',
    ),
    ...tokens,
  },
};
