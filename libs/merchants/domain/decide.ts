import { isSameEncryptedSecret, type EncryptedSecret } from '@app/keys/domain';
import { accepted, type Decision, isoTime, rejected, unreachable } from '@app/event-sourcing';
import type {
  ChangeMerchantSettings,
  IssueAccessToken,
  MerchantCommand,
  MerchantRejection,
  NewAccessToken,
  RegisterMerchant,
  ReencryptMerchantSecrets,
  ReinstateMerchant,
  RevokeAccessToken,
  RotateSecret,
  SuspendMerchant,
} from './commands';
import type { AccessTokenIssued, MerchantEvent, MerchantSettings, ReplacedSecret } from './events';
import { isFeeSchedule, isSameSchedule, NO_FEES, normalizedSchedule } from './fees';
import { findToken, graceSecrets, isLiveToken, liveSecrets, type Merchant, encryptedSecretsOf } from './merchant';
import { SCOPES } from './scopes';

type MerchantDecision = Decision<MerchantEvent, MerchantRejection>;

/** A new merchant's settings. */
export const DEFAULT_SETTINGS: MerchantSettings = {
  requireSignatures: false,
  rotationGraceSeconds: 24 * 60 * 60,
  feeSchedule: NO_FEES,
};

/** Limited, because every process holds all valid tokens in memory. */
export const MAX_LIVE_TOKENS = 100;

/**
 * The most signing secrets, or webhook secrets, valid at the same time: every one signs each webhook, in one header.
 */
export const MAX_LIVE_SECRETS = 8;

/** A longer grace would defeat a rotation's purpose; 0 is for a secret that has leaked. */
export const MAX_ROTATION_GRACE_SECONDS = 30 * 24 * 60 * 60;

/** Decides every command on a merchant. A repeated command decides nothing new. */
export function decide(command: MerchantCommand, merchant: Merchant | null): MerchantDecision {
  if (command.type === 'RegisterMerchant') return register(command, merchant);
  if (merchant === null) return rejected('MERCHANT_NOT_FOUND');
  switch (command.type) {
    case 'IssueAccessToken':
      return issueToken(command, merchant);
    case 'RevokeAccessToken':
      return revokeToken(command, merchant);
    case 'RotateSecret':
      return rotateSecret(command, merchant);
    case 'ReencryptMerchantSecrets':
      return reencryptSecrets(command, merchant);
    case 'ChangeMerchantSettings':
      return changeSettings(command, merchant);
    case 'SuspendMerchant':
      return suspend(command, merchant);
    case 'ReinstateMerchant':
      return reinstate(command, merchant);
    default:
      return unreachable(command);
  }
}

function register(command: RegisterMerchant, merchant: Merchant | null): MerchantDecision {
  const { merchantId, name, signingSecret, webhookSecret, token } = command;
  if (merchant !== null) {
    // The first token proves who is registering: a request with the same token repeats the registration.
    const repeated = Object.values(merchant.tokens).some(({ tokenHash }) => tokenHash === token.tokenHash);
    return repeated ? accepted() : rejected('MERCHANT_EXISTS');
  }
  if (token.scopes.length === 0) return rejected('TOKEN_WITHOUT_SCOPES');
  return accepted<MerchantEvent>(
    { type: 'MerchantRegistered', data: { merchantId, name, signingSecret, webhookSecret, ...DEFAULT_SETTINGS } },
    tokenIssued(merchantId, token),
  );
}

function tokenIssued(merchantId: string, token: NewAccessToken): AccessTokenIssued {
  const { tokenId, tokenHash, expiresAt, name = null } = token;
  const scopes = SCOPES.filter((scope) => token.scopes.includes(scope));
  const named = name === null ? {} : { name };
  return { type: 'AccessTokenIssued', data: { merchantId, tokenId, tokenHash, scopes, expiresAt, ...named } };
}

function issueToken({ token, now }: IssueAccessToken, merchant: Merchant): MerchantDecision {
  const tokens = Object.values(merchant.tokens);
  const same = tokens.find(({ tokenId, tokenHash }) => tokenId === token.tokenId || tokenHash === token.tokenHash);
  if (same !== undefined) {
    const repeated = same.tokenId === token.tokenId && same.tokenHash === token.tokenHash;
    return repeated ? accepted() : rejected('TOKEN_EXISTS');
  }
  if (token.scopes.length === 0) return rejected('TOKEN_WITHOUT_SCOPES');
  if (token.expiresAt !== null && token.expiresAt <= now) return rejected('TOKEN_EXPIRY_NOT_IN_FUTURE');
  const live = tokens.filter((known) => isLiveToken(known, now));
  if (live.length >= MAX_LIVE_TOKENS) return rejected('TOO_MANY_TOKENS');
  return accepted<MerchantEvent>(tokenIssued(merchant.merchantId, token));
}

function revokeToken({ tokenId }: RevokeAccessToken, merchant: Merchant): MerchantDecision {
  const token = findToken(merchant, tokenId);
  if (token === undefined) return rejected('TOKEN_NOT_FOUND');
  if (token.revokedAt !== null) return accepted();
  return accepted<MerchantEvent>({ type: 'AccessTokenRevoked', data: { merchantId: merchant.merchantId, tokenId } });
}

function rotateSecret({ which, secret, requestId, now }: RotateSecret, merchant: Merchant): MerchantDecision {
  const stored = which === 'signing' ? merchant.signingSecret : merchant.webhookSecret;
  const isAnswered = stored.requests.some((request) => request.requestId === requestId);
  if (isAnswered || isSameEncryptedSecret(secret, stored.current)) return accepted();
  const promised = graceEndsAt(merchant, now);
  // A replaced secret whose grace ends at once doesn't count.
  const held = graceSecrets(stored, now).length + (promised > now ? 1 : 0);
  if (held + 1 > MAX_LIVE_SECRETS) return rejected('TOO_MANY_SECRETS');
  const { merchantId } = merchant;
  const rotated = { merchantId, graceEndsAt: promised, ...(requestId === undefined ? {} : { requestId }) };
  return which === 'signing'
    ? accepted<MerchantEvent>({ type: 'SigningSecretRotated', data: { ...rotated, signingSecret: secret } })
    : accepted<MerchantEvent>({ type: 'WebhookSecretRotated', data: { ...rotated, webhookSecret: secret } });
}

/** A secret that was rotated in the meantime is a different one, and stays as it is. */
function reencryptSecrets({ reencrypted, now }: ReencryptMerchantSecrets, merchant: Merchant): MerchantDecision {
  const before = liveSecrets(merchant, now);
  const replacement = (stored: EncryptedSecret): EncryptedSecret =>
    reencrypted.find(({ from }) => isSameEncryptedSecret(from, stored))?.to ?? stored;
  const ofReplaced = (secrets: readonly ReplacedSecret[]) =>
    secrets.map(({ secret, graceEndsAt: until }) => ({ secret: replacement(secret), graceEndsAt: until }));
  const signingSecret = replacement(before.signingSecret);
  const previousSigningSecrets = ofReplaced(before.previousSigningSecrets);
  const webhookSecret = replacement(before.webhookSecret);
  const previousWebhookSecrets = ofReplaced(before.previousWebhookSecrets);
  const after = { signingSecret, previousSigningSecrets, webhookSecret, previousWebhookSecrets };
  const secretsBefore = encryptedSecretsOf(before);
  if (encryptedSecretsOf(after).every((secret, index) => secret === secretsBefore[index])) return accepted();
  const { merchantId } = merchant;
  const previousSigningSecret = previousSigningSecrets.at(-1)?.secret ?? null;
  const previousWebhookSecret = previousWebhookSecrets.at(-1)?.secret ?? null;
  const data = { merchantId, ...after, previousSigningSecret, previousWebhookSecret };
  return accepted<MerchantEvent>({ type: 'MerchantSecretsResealed', data });
}

function graceEndsAt({ settings }: Merchant, now: string): string {
  return isoTime(Date.parse(now) + settings.rotationGraceSeconds * 1_000);
}

function changeSettings({ changes, name }: ChangeMerchantSettings, merchant: Merchant): MerchantDecision {
  const { settings, merchantId } = merchant;
  const {
    requireSignatures = settings.requireSignatures,
    rotationGraceSeconds = settings.rotationGraceSeconds,
    feeSchedule: wanted = settings.feeSchedule,
  } = changes;
  const graceAllowed =
    Number.isInteger(rotationGraceSeconds) &&
    rotationGraceSeconds >= 0 &&
    rotationGraceSeconds <= MAX_ROTATION_GRACE_SECONDS;
  if (!graceAllowed) return rejected('ROTATION_GRACE_OUT_OF_RANGE');
  if (!isFeeSchedule(wanted)) return rejected('FEE_SCHEDULE_INVALID');
  const feeSchedule = normalizedSchedule(wanted);
  const same =
    requireSignatures === settings.requireSignatures &&
    rotationGraceSeconds === settings.rotationGraceSeconds &&
    isSameSchedule(feeSchedule, settings.feeSchedule);
  const data = { merchantId, requireSignatures, rotationGraceSeconds, feeSchedule };
  const isRenamed = name !== undefined && name !== merchant.name;
  return accepted<MerchantEvent>(
    ...(isRenamed ? [{ type: 'MerchantRenamed', data: { merchantId, name } } as const] : []),
    ...(same ? [] : [{ type: 'MerchantSettingsChanged', data } as const]),
  );
}

/** A merchant that is already suspended keeps the first reason. */
function suspend({ reason }: SuspendMerchant, { merchantId, suspension }: Merchant): MerchantDecision {
  if (suspension !== null) return accepted();
  return accepted<MerchantEvent>({ type: 'MerchantSuspended', data: { merchantId, reason } });
}

function reinstate({ reason }: ReinstateMerchant, { merchantId, suspension }: Merchant): MerchantDecision {
  if (suspension === null) return accepted();
  return accepted<MerchantEvent>({ type: 'MerchantReinstated', data: { merchantId, reason } });
}
