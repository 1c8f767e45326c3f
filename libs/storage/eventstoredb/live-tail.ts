import { type TailDependencies, TailRun } from './tail-run';

/**
 * One live subscription to the installation's events for all who follow the log in this process: each event travels once, is
 * decoded once, and is the same frozen object for everybody. It runs while somebody follows, keeps the latest events for those
 * who are slower, and waits for nobody.
 */
export class LiveTail {
  private run: TailRun | null = null;

  constructor(private readonly deps: TailDependencies) {}

  /** Begins the subscription when nobody follows yet. Whoever joins has to leave. */
  join(): TailRun {
    if (this.run === null || this.run.isOver) this.run = new TailRun(this.deps);
    this.run.joined();
    return this.run;
  }

  /** Ends the subscription; all who follow it get the failure. */
  close(failure: Error): void {
    this.run?.fail(failure);
  }
}
