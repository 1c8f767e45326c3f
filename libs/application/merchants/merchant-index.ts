import { hash } from 'node:crypto';
import {
  isLiveToken,
  type Merchant,
  MERCHANT_STREAM_PREFIX,
  merchantDecider,
  type MerchantEvent,
  merchantSchemas,
  type Scope,
} from '@app/domain/merchant';
import { assert, isoTime, readEvent, type RecordedEvent } from '@app/kernel';

export interface AuthenticatedMerchant {
  readonly merchantId: string;
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Whether every write must be signed. */
  readonly requireSignatures: boolean;
  readonly tokenId: string;
}

interface Entry {
  readonly merchant: Merchant;
  /** Of the last event folded in. */
  readonly revision: number;
}

interface TokenEntry {
  /** Null for a token that doesn't expire. */
  readonly expiresAtMs: number | null;
  readonly bearer: AuthenticatedMerchant;
}

/** All merchants and their tokens in memory, folded from events that may come more than once. */
export class MerchantIndex {
  private readonly entries = new Map<string, Entry>();
  /** By the token's SHA-256; revoked tokens are not in it. */
  private readonly tokens = new Map<string, TokenEntry>();

  find(merchantId: string): Merchant | null {
    return this.entries.get(merchantId)?.merchant ?? null;
  }

  all(): readonly Merchant[] {
    return [...this.entries.values()].map(({ merchant }) => merchant);
  }

  /** The merchant and rights of the token's bearer; null when it is unknown, expired or revoked. */
  authenticate(token: string, nowMs: number): AuthenticatedMerchant | null {
    const entry = this.tokens.get(hash('sha256', token, 'hex'));
    if (entry === undefined) return null;
    return entry.expiresAtMs === null || nowMs < entry.expiresAtMs ? entry.bearer : null;
  }

  /** Folds the event in, unless it is in already. @throws UnreadableEventError */
  apply(recorded: RecordedEvent, nowMs: number): void {
    const { streamId, revision } = recorded;
    const merchantId = streamId.slice(MERCHANT_STREAM_PREFIX.length);
    const known = this.entries.get(merchantId);
    const last = known?.revision ?? -1;
    if (revision <= last) return;
    assert(revision === last + 1, `${streamId} was handed out with a gap after ${last}`);
    const event = readEvent<MerchantEvent>(recorded, merchantSchemas);
    const merchant = merchantDecider.evolve(known?.merchant ?? null, event);
    assert(merchant, `${streamId} begins with a registration`);
    this.entries.set(merchantId, { merchant, revision });
    this.indexTokens(merchant, nowMs);
  }

  private indexTokens(merchant: Merchant, nowMs: number): void {
    const { merchantId, name } = merchant;
    const { requireSignatures } = merchant.settings;
    const now = isoTime(nowMs);
    for (const token of Object.values(merchant.tokens)) {
      const { tokenId, tokenHash, expiresAt } = token;
      if (!isLiveToken(token, now)) {
        this.tokens.delete(tokenHash);
        continue;
      }
      const bearer = { merchantId, name, scopes: new Set(token.scopes), requireSignatures, tokenId };
      this.tokens.set(tokenHash, { expiresAtMs: expiresAt === null ? null : Date.parse(expiresAt), bearer });
    }
  }
}
