export interface StopStep {
  readonly name: string;
  readonly stop: () => Promise<unknown>;
}

/** The parts of a process in the order in which they stop. Names identify what hangs. */
export class StopSequence {
  readonly #stages: (readonly StopStep[])[] = [];
  readonly #running = new Set<string>();
  #run: Promise<void> | null = null;

  /** Steps run one after another, in the order in which they were added. */
  add(name: string, stop: () => Promise<unknown>): this {
    return this.together({ name, stop });
  }

  /** Steps that start at the same time. What is added after them starts once all of them have ended. */
  together(...steps: readonly StopStep[]): this {
    this.#stages.push(steps);
    return this;
  }

  /** Whether `run` was called; nothing new may start then. */
  get begun(): boolean {
    return this.#run !== null;
  }

  /**
   * Runs every step exactly once, however often it is called, and continues after a failed step: a store must be closed
   * even if the HTTP server could not be.
   *
   * @throws AggregateError of all failures, at the end.
   */
  run(): Promise<void> {
    this.#run ??= this.#runAll();
    return this.#run;
  }

  async #runAll(): Promise<void> {
    const failures: Error[] = [];
    for (const steps of this.#stages) {
      await Promise.all(
        steps.map(async ({ name, stop }) => {
          this.#running.add(name);
          try {
            await stop();
          } catch (cause) {
            failures.push(new Error(`${name} failed to stop`, { cause }));
          }
          this.#running.delete(name);
        }),
      );
    }
    if (failures.length > 0) throw new AggregateError(failures, failures.map((failure) => failure.message).join('; '));
  }

  /** The names of the steps in progress; empty before and after. */
  pending(): readonly string[] {
    return [...this.#running];
  }
}
