import { CREATED_AT, entry, type GlossaryEntry } from './glossary-entry';

/** What the fields of merchants, their tokens and secrets mean, as in `GLOSSARY`. */
export const MERCHANT_GLOSSARY: Readonly<Record<string, GlossaryEntry>> = {
  tokenId: entry('Names the token; opens nothing.', 'tok_01JGFJJZ00Q8V5T3N7R2M4K6H9'),
  scopes: entry('What the token may be used for; all scopes when absent.', ['payments:read']),
  'issueToken.expiresAt': entry('When it ends by itself; never when absent, or null.', '2031-01-01T00:00:00.000Z'),
  'Token.expiresAt': entry('When it ends by itself; null: never.', '2031-01-01T00:00:00.000Z'),
  'Token.name': entry('What the operator calls it; null where it was given no name.', 'till-3'),
  'issueToken.name': entry(
    'What you call it, to tell it from others; null, or absent, where it has no name.',
    'till-3',
  ),
  lastUsedAt: entry(
    'When it last let somebody in, to the minute, and told about a minute later; null where no use is known.',
    '2030-01-01T08:15:00.000Z',
  ),
  usesKnownSince: entry(
    'Uses before then are unknown, as the read store that keeps them is as young as that. Null where it cannot be told for now.',
    CREATED_AT,
  ),
  revokedAt: entry('When it was revoked; null while it was not.', null),
  'MerchantItem.status': entry(
    '`SUSPENDED` while its access tokens let nobody in. `DAMAGED`: what is stored of it is damaged, and nothing else is told of it here.',
    'ACTIVE',
  ),
  'Merchant.status': entry('`SUSPENDED` while its access tokens let nobody in.', 'ACTIVE'),
  'listMerchants.items': entry('The merchants, the newest first.'),
  registeredAt: entry('When it was registered.', CREATED_AT),
  suspendedAt: entry('Since when it is suspended; null while it is not.', null),
  suspensionReason: entry("Why, in the operator's words; null where it is not suspended, or none was given.", null),
  'suspendMerchant.reason': entry("Why, in the operator's words.", 'Reported for fraud; ticket 4711'),
  'reinstateMerchant.reason': entry("Why, in the operator's words.", 'Cleared; ticket 4711'),
  requireSignatures: entry('Whether every write has to be signed.', true),
  rotationGraceSeconds: entry(
    "How long a secret that is replaced from now on lives on. A grace that is running isn't changed.",
    86400,
  ),
  feeSchedule: entry('What a captured payment is charged.'),
  basisPoints: entry('Hundredths of a percent of the captured amount.', 140),
  fixed: entry("Added to that, by currency; nothing in a currency that isn't named."),
  'fixed.value': entry('A decimal text; zero is allowed.', '0.25'),
  'fixed.currency': entry('The upper-case code of a current ISO 4217 currency.', 'EUR'),
  previousSecretExpiresAt: entry('Until then the replaced secret holds, too.', '2030-01-02T00:00:00.000Z'),
  name: entry("The merchant's name, shown to customers.", 'Demo shop'),
  note: entry(
    'What the access token may without having been asked for it by name: every scope, or no end; null where neither.',
    'This access token never expires: whoever has it may use it until it is revoked. One with less names scopes and expiresAt.',
  ),
  accessToken: entry('Shown this once.', 'cft_3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'),
  signingSecret: entry('Signs requests. Shown this once.', 'cfs_3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'),
  webhookSecret: entry('Signs webhooks. Shown this once.', 'whsec_3q2+7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='),
  'registerMerchant.merchantId': entry('Made up when absent.', 'mer_demo'),
};
