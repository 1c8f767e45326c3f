import { hash } from 'node:crypto';
import {
  type Merchant,
  MERCHANT_STREAM_PREFIX,
  merchantDecider,
  type MerchantEvent,
  merchantSchemas,
  type Scope,
} from '@app/domain/merchant';
import { assert, readEvent, type RecordedEvent } from '@app/kernel';

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

/** Why a token lets nobody in, and whose it was: for the log alone. */
export type TokenRefusal =
  | { readonly reason: 'unknown'; readonly bearer: null }
  | { readonly reason: 'expired' | 'revoked'; readonly bearer: AuthenticatedMerchant };

interface TokenEntry {
  /** Null for a token that doesn't expire. */
  readonly expiresAtMs: number | null;
  readonly isRevoked: boolean;
  readonly bearer: AuthenticatedMerchant;
}

/** All merchants and their tokens in memory, folded from events that may come more than once. */
export class MerchantIndex {
  private readonly entries = new Map<string, Entry>();
  /** By the token's SHA-256, with those that let nobody in any more. */
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
    if (entry === undefined || entry.isRevoked) return null;
    return entry.expiresAtMs === null || nowMs < entry.expiresAtMs ? entry.bearer : null;
  }

  /** Of a token that was not let in. */
  whyRefused(token: string): TokenRefusal {
    const entry = this.tokens.get(hash('sha256', token, 'hex'));
    if (entry === undefined) return { reason: 'unknown', bearer: null };
    return { reason: entry.isRevoked ? 'revoked' : 'expired', bearer: entry.bearer };
  }

  /** Folds the event in, unless it is in already. @throws UnreadableEventError */
  apply(recorded: RecordedEvent): void {
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
    this.indexTokens(merchant);
  }

  private indexTokens(merchant: Merchant): void {
    const { merchantId, name } = merchant;
    const { requireSignatures } = merchant.settings;
    for (const { tokenId, tokenHash, scopes, expiresAt, revokedAt } of Object.values(merchant.tokens)) {
      const bearer = { merchantId, name, scopes: new Set(scopes), requireSignatures, tokenId };
      const expiresAtMs = expiresAt === null ? null : Date.parse(expiresAt);
      this.tokens.set(tokenHash, { expiresAtMs, isRevoked: revokedAt !== null, bearer });
    }
  }
}
