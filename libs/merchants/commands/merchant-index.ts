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
  /** Null if the stream is damaged from its first event. */
  readonly merchant: Merchant | null;
  /** The end of the folded history; null before the first event. */
  readonly last: HistoryEnd | null;
  /** If set, the merchant's tokens are not accepted and nothing is done for the merchant. */
  readonly damage: DamagedHistoryError | null;
}

/** A merchant as listed. */
export interface ListedMerchant {
  readonly merchantId: string;
  /** Folded from the intact part of its stream; null if not even the first event is intact. */
  readonly merchant: Merchant | null;
  readonly isDamaged: boolean;
}

interface TokenEntry {
  /** Null if the token doesn't expire. */
  readonly expiresAtMs: number | null;
  readonly isRevoked: boolean;
  readonly bearer: AuthenticatedMerchant;
}

/** All merchants and their tokens in memory, folded from events that may be delivered more than once. */
export class MerchantIndex {
  private readonly entries = new Map<string, Entry>();
  /** By the token's SHA-256, including tokens that are no longer valid. */
  private readonly tokens = new Map<string, TokenEntry>();

  /** @throws DamagedHistoryError if the merchant's stream is damaged. */
  find(merchantId: string): Merchant | null {
    const entry = this.entries.get(merchantId);
    if (entry === undefined) return null;
    if (entry.damage !== null) throw entry.damage;
    return entry.merchant;
  }

  /** Merchants whose streams are intact. */
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
   * The merchant and scopes of the token's bearer; null if the token is unknown, expired or revoked.
   *
   * @throws DamagedHistoryError if it is unknown whether the token is still valid.
   */
  authenticate(token: string, nowMs: number): AuthenticatedMerchant | null {
    const entry = this.tokens.get(hash('sha256', token, 'hex'));
    if (entry === undefined) return null;
    const damage = this.entries.get(entry.bearer.merchantId)?.damage ?? null;
    if (damage !== null) throw damage;
    if (entry.isRevoked) return null;
    return entry.expiresAtMs === null || nowMs < entry.expiresAtMs ? entry.bearer : null;
  }

  /** The reason why a token was not accepted. */
  whyRefused(token: string): TokenRefusal {
    const entry = this.tokens.get(hash('sha256', token, 'hex'));
    if (entry === undefined) return { reason: 'unknown', bearer: null };
    return { reason: entry.isRevoked ? 'revoked' : 'expired', bearer: entry.bearer };
  }

  /** Folds the event in unless that was done before; returns the damage if the event can't be trusted. */
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
