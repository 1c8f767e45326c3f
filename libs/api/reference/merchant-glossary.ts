import { CREATED_AT, entry, type GlossaryEntry } from './glossary-entry';

/** The meaning of the fields of merchants, their tokens and secrets, as in `GLOSSARY`. */
export const MERCHANT_GLOSSARY: Readonly<Record<string, GlossaryEntry>> = {
  tokenId: entry('The identifier of the token. It opens nothing.', 'tok_01JGFJJZ00Q8V5T3N7R2M4K6H9'),
  scopes: entry('What the token may be used for. Absent: all scopes.', ['payments:read']),
  'issueToken.expiresAt': entry('When the token expires. Absent or null: never.', '2031-01-01T00:00:00.000Z'),
  'Token.expiresAt': entry('When the token expires. Null: never.', '2031-01-01T00:00:00.000Z'),
  'Token.name': entry('Its name. Null if it has none.', 'till-3'),
  'issueToken.name': entry('A name that tells it from other tokens. Absent or null: no name.', 'till-3'),
  lastUsedAt: entry(
    'When it was last used, to the minute. Shown about a minute later. Null if no use is known.',
    '2030-01-01T08:15:00.000Z',
  ),
  usesKnownSince: entry(
    'Uses before this time are unknown, because the read store that holds them is no older. Null if it cannot be read now.',
    CREATED_AT,
  ),
  revokedAt: entry('When it was revoked. Null if it was not.', null),
  'MerchantItem.status': entry(
    '`SUSPENDED` while its access tokens are refused. `DAMAGED`: its stored history is damaged, and no other field is shown.',
    'ACTIVE',
  ),
  'Merchant.status': entry('`SUSPENDED` while its access tokens are refused.', 'ACTIVE'),
  'listMerchants.items': entry('The merchants, the newest first.'),
  registeredAt: entry('When it was registered.', CREATED_AT),
  suspendedAt: entry('When it was suspended. Null if it is not.', null),
  suspensionReason: entry("Why, in the operator's words. Null if it is not suspended, or no reason was given.", null),
  'suspendMerchant.reason': entry("Why, in the operator's words.", 'Reported for fraud; ticket 4711'),
  'reinstateMerchant.reason': entry("Why, in the operator's words.", 'Cleared; ticket 4711'),
  requireSignatures: entry('Whether every request that changes something has to be signed.', true),
  rotationGraceSeconds: entry('How long a replaced secret stays valid. It applies to later rotations only.', 86400),
  feeSchedule: entry('The fees for a captured payment.'),
  basisPoints: entry('Hundredths of a percent of the captured amount.', 140),
  fixed: entry('A fixed fee on top, by currency. In a currency that is not named there is none.'),
  'fixed.value': entry('A decimal string. Zero is allowed.', '0.25'),
  'fixed.currency': entry('The upper-case code of a current ISO 4217 currency.', 'EUR'),
  previousSecretExpiresAt: entry('Until when the replaced secret is valid, too.', '2030-01-02T00:00:00.000Z'),
  name: entry("The merchant's name, shown to customers.", 'Demo shop'),
  note: entry(
    'A warning if the access token has every scope, or never expires, because the request did not say otherwise. Null if there is nothing to warn of.',
    'This access token never expires: whoever has it may use it until it is revoked. One with less names scopes and expiresAt.',
  ),
  accessToken: entry('Shown this once.', 'cft_3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'),
  signingSecret: entry('Signs requests. Shown this once.', 'cfs_3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'),
  webhookSecret: entry('Signs webhooks. Shown this once.', 'whsec_3q2+7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='),
  'registerMerchant.merchantId': entry('Made up when absent.', 'mer_demo'),
};
