/** An ended claim can be renewed for this long, in ms, by a holder whom nobody overtook; then it is forgotten. */
const ENDED_CLAIM_KEPT_MS = 60_000;

/** Who works on which items of one list. They outlive the projection's versions. */
export class MemoryClaims {
  private readonly claims = new Map<string, { readonly owner: string; readonly untilMs: number }>();

  /** When the last claim on the item ends or has ended; null where none is known. */
  untilMs(key: string): number | null {
    return this.claims.get(key)?.untilMs ?? null;
  }

  hold(keys: readonly string[], { owner, nowMs, leaseMs }: { owner: string; nowMs: number; leaseMs: number }): void {
    for (const [key, { untilMs }] of this.claims) {
      if (untilMs <= nowMs - ENDED_CLAIM_KEPT_MS) this.claims.delete(key);
    }
    for (const key of keys) this.claims.set(key, { owner, untilMs: nowMs + leaseMs });
  }

  /** Frees those that would last beyond `limitMs`; whether there was one. */
  endVoid(limitMs: number): boolean {
    const before = this.claims.size;
    for (const [key, { untilMs }] of this.claims) if (untilMs > limitMs) this.claims.delete(key);
    return this.claims.size < before;
  }

  /** @returns those that the owner still had. */
  renew(keys: readonly string[], owner: string, untilMs: number): readonly string[] {
    return keys.filter((key) => {
      const claim = this.claims.get(key);
      if (claim?.owner !== owner) return false;
      this.claims.set(key, { owner, untilMs: Math.max(claim.untilMs, untilMs) });
      return true;
    });
  }

  release(keys: readonly string[], owner: string): void {
    for (const key of keys) if (this.claims.get(key)?.owner === owner) this.claims.delete(key);
  }
}
