const WINDOW = 1_000;

/** How long one consumer took for its latest messages, in whole milliseconds. */
export class Timings {
  private readonly latest: number[] = [];
  private next = 0;

  record(durationMs: number): void {
    this.latest[this.next] = Math.max(0, Math.trunc(durationMs));
    this.next = (this.next + 1) % WINDOW;
  }

  /** Under EventStoreDB's names; empty before the first answer. */
  measurements(): readonly (readonly [name: string, valueMs: number])[] {
    if (this.latest.length === 0) return [];
    const sorted = this.latest.toSorted((a, b) => a - b);
    const at = (percent: number): number =>
      sorted[Math.min(Math.floor((percent * sorted.length) / 100), sorted.length - 1)] ?? 0;
    const mean = Math.trunc(sorted.reduce((sum, each) => sum + each, 0) / sorted.length);
    return [
      ['Mean', mean],
      ['Median', at(50)],
      ['Fastest', at(0)],
      ...[0, 20, 40, 60, 80].map((percent, index) => [`Quintile ${index + 1}`, at(percent)] as const),
      ...[90, 95, 99, 99.5, 99.9].map((percent) => [`${percent}%`, at(percent)] as const),
      ['Highest', at(100)],
    ];
  }
}
