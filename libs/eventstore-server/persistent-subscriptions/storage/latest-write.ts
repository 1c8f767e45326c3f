/** Writes one value after another; of those that come in meanwhile only the latest, for it says all that they say. */
export class LatestWrite<Value> {
  private next: { readonly value: Value } | null = null;
  private running: Promise<void> | null = null;

  constructor(
    private readonly write: (value: Value) => Promise<void>,
    /** A value that can't be written is left out; the next one makes up for it. */
    private readonly onFailure: (error: unknown) => void,
  ) {}

  set(value: Value): void {
    this.next = { value };
    this.running ??= this.run();
  }

  /** Resolves once nothing is being written. */
  async settled(): Promise<void> {
    while (this.running !== null) await this.running;
  }

  private async run(): Promise<void> {
    for (let next = this.next; next !== null; next = this.next) {
      this.next = null;
      try {
        await this.write(next.value);
      } catch (error) {
        this.onFailure(error);
      }
    }
    // At once: a value that comes in any later has to begin anew.
    this.running = null;
  }
}
