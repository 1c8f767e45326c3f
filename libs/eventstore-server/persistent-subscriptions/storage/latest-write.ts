/**
 * Writes values one at a time. Of the values that arrive during a write, only the latest is written, since it replaces
 * the others.
 */
export class LatestWrite<Value> {
  private next: { readonly value: Value } | null = null;
  private running: Promise<void> | null = null;

  constructor(
    private readonly write: (value: Value) => Promise<void>,
    /** A value that cannot be written is dropped; the next one replaces it. */
    private readonly onFailure: (error: unknown) => void,
  ) {}

  set(value: Value): void {
    this.next = { value };
    this.running ??= this.run();
  }

  /** Resolves once no write is in progress. */
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
    // Synchronously: a value that arrives later has to start a new write.
    this.running = null;
  }
}
