import { hash } from 'node:crypto';
import {
  isMerchantId,
  type Merchant,
  MERCHANT_STREAM_PREFIX,
  merchantDecider,
  type MerchantEvent,
  merchantSchemas,
} from '@app/merchants/domain';
import {
  assert,
  DamagedHistoryError,
  DELETION,
  type HistoryEnd,
  readHistory,
  type RecordedEvent,
} from '@app/event-sourcing';
import type { AuthenticatedMerchant, TokenRefusal } from '@app/platform/merchants';

interface Entry {
  /** Null where the stream is damaged from its beginning. */
  readonly merchant: Merchant | null;
  /** Where what is folded in ends; null before the first event. */
  readonly last: HistoryEnd | null;
  /** Nobody is let in as this merchant, and nothing is done for it. */
  readonly damage: DamagedHistoryError | null;
}

/** A merchant in the list of all. */
export interface ListedMerchant {
  readonly merchantId: string;
  /** As far as its stream could be believed; null where not even its beginning can. */
  readonly merchant: Merchant | null;
  readonly isDamaged: boolean;
}

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

  /** @throws DamagedHistoryError where the merchant's stream can't be believed. */
  find(merchantId: string): Merchant | null {
    const entry = this.entries.get(merchantId);
    if (entry === undefined) return null;
    if (entry.damage !== null) throw entry.damage;
    return entry.merchant;
  }

  /** Those whose streams can be believed. */
  all(): readonly Merchant[] {
    return [...this.entries.values()].flatMap(({ merchant, damage }) =>
      merchant === null || damage !== null ? [] : [merchant],
    );
  }

  listed(): readonly ListedMerchant[] {
    return [...this.entries].map(([merchantId, { merchant, damage }]) => ({
      merchantId,
      merchant,
      isDamaged: damage !== null,
    }));
  }

  /**
   * The merchant and rights of the token's bearer; null when it is unknown, expired or revoked.
   *
   * @throws DamagedHistoryError where it can't be told whether the token still holds.
   */
  authenticate(token: string, nowMs: number): AuthenticatedMerchant | null {
    const entry = this.tokens.get(hash('sha256', token, 'hex'));
    if (entry === undefined) return null;
    const damage = this.entries.get(entry.bearer.merchantId)?.damage ?? null;
    if (damage !== null) throw damage;
    if (entry.isRevoked) return null;
    return entry.expiresAtMs === null || nowMs < entry.expiresAtMs ? entry.bearer : null;
  }

  /** Of a token that was not let in. */
  whyRefused(token: string): TokenRefusal {
    const entry = this.tokens.get(hash('sha256', token, 'hex'));
    if (entry === undefined) return { reason: 'unknown', bearer: null };
    return { reason: entry.isRevoked ? 'revoked' : 'expired', bearer: entry.bearer };
  }

  /** Folds the event in, unless it is in already; answers with what is wrong with it where its stream can't be believed. */
  apply(recorded: RecordedEvent): DamagedHistoryError | null {
    const { streamId, revision, type } = recorded;
    const merchantId = streamId.slice(MERCHANT_STREAM_PREFIX.length);
    if (!isMerchantId(merchantId)) return new DamagedHistoryError(recorded, 'FOREIGN', 'it is no merchant’s');
    const known = this.entries.get(merchantId) ?? { merchant: null, last: null, damage: null };
    const isKnown = type !== DELETION && revision <= (known.last?.revision ?? -1);
    if (known.damage !== null || isKnown) return known.damage;
    try {
      const { merchant, last } = folded(merchantId, known, recorded);
      this.entries.set(merchantId, { merchant, last, damage: null });
      this.indexTokens(merchant);
      return null;
    } catch (error) {
      if (!(error instanceof DamagedHistoryError)) throw error;
      this.entries.set(merchantId, { ...known, damage: error });
      return error;
    }
  }

  private indexTokens(merchant: Merchant): void {
    const { merchantId, name, suspension } = merchant;
    const isSuspended = suspension !== null;
    const { requireSignatures } = merchant.settings;
    for (const { tokenId, tokenHash, scopes, expiresAt, revokedAt } of Object.values(merchant.tokens)) {
      const bearer = { merchantId, name, isSuspended, scopes: new Set(scopes), requireSignatures, tokenId };
      const expiresAtMs = expiresAt === null ? null : Date.parse(expiresAt);
      this.tokens.set(tokenHash, { expiresAtMs, isRevoked: revokedAt !== null, bearer });
    }
  }
}

/** @throws DamagedHistoryError */
function folded(merchantId: string, { merchant: before, last }: Entry, recorded: RecordedEvent) {
  const [event] = readHistory<MerchantEvent>([recorded], merchantSchemas, { last });
  assert(event, 'an event that was read is there');
  const merchant = merchantDecider.evolve(before, event);
  if (merchant?.merchantId !== merchantId) {
    throw new DamagedHistoryError(recorded, 'BROKEN', 'it does not begin with the registration of its merchant');
  }
  const { revision, metadata } = event;
  return { merchant, last: { revision, hash: metadata.hash, recordedAt: metadata.recordedAt } };
}
