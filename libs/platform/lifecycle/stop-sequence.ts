export interface StopStep {
  readonly name: string;
  readonly stop: () => Promise<unknown>;
}

/** The parts of a process in the order in which they stop, so that what hangs has a name. */
export class StopSequence {
  readonly #stages: (readonly StopStep[])[] = [];
  readonly #running = new Set<string>();
  #run: Promise<void> | null = null;

  /** Steps are run in the order in which they were added, one after the other. */
  add(name: string, stop: () => Promise<unknown>): this {
    return this.together({ name, stop });
  }

  /** Steps that begin at the same time; what was added after them begins once all of them have ended. */
  together(...steps: readonly StopStep[]): this {
    this.#stages.push(steps);
    return this;
  }

  /** Whether `run` was called: nothing new may begin then. */
  get begun(): boolean {
    return this.#run !== null;
  }

  /**
   * Runs every step once, whoever asks for it again, and also after one that failed: a store must be closed even if the HTTP
   * server could not be.
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

  /** The names of the steps that are being waited for; empty before and after. */
  pending(): readonly string[] {
    return [...this.#running];
  }
}
