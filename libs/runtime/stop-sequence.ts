interface StopStep {
  readonly name: string;
  readonly stop: () => Promise<unknown>;
}

/** The parts of a process in the order in which they stop, so that what hangs has a name. */
export class StopSequence {
  readonly #steps: StopStep[] = [];
  #running: string | null = null;

  /** Steps are run in the order in which they were added, one after the other. */
  add(name: string, stop: () => Promise<unknown>): this {
    this.#steps.push({ name, stop });
    return this;
  }

  /**
   * Runs every step, also after one that failed: a store must be closed even if the HTTP server could not be.
   *
   * @throws AggregateError of all failures, at the end.
   */
  async run(): Promise<void> {
    const failures: Error[] = [];
    for (const { name, stop } of this.#steps) {
      this.#running = name;
      try {
        await stop();
      } catch (cause) {
        failures.push(new Error(`${name} failed to stop`, { cause }));
      }
    }
    this.#running = null;
    if (failures.length > 0) throw new AggregateError(failures, failures.map((failure) => failure.message).join('; '));
  }

  /** The name of the step that is being waited for; empty before and after. */
  pending(): readonly string[] {
    return this.#running === null ? [] : [this.#running];
  }
}
