interface Measurement {
  readonly total: number;
  readonly atMs: number;
}

/** The number of messages since the last request. */
export class Rates {
  private readonly measured = new WeakMap<object, Measurement>();

  measure(subject: object, total: number, nowMs: number): { readonly since: number; readonly perSecond: number } {
    const before = this.measured.get(subject);
    this.measured.set(subject, { total, atMs: nowMs });
    const since = total - (before?.total ?? 0);
    const elapsedMs = before === undefined ? 0 : nowMs - before.atMs;
    return { since, perSecond: elapsedMs > 0 ? Math.trunc((since * 1_000) / elapsedMs) : 0 };
  }
}
