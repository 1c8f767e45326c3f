import { type TailDependencies, TailRun } from './tail-run';

/**
 * One live subscription to the installation's events for all followers in this process: each event is sent once, is
 * decoded once, and is the same frozen object for all. It runs while there are followers, keeps the latest events for
 * slower ones, and waits for none.
 */
export class LiveTail {
  private run: TailRun | null = null;

  constructor(private readonly deps: TailDependencies) {}

  /** Starts the subscription for the first follower. Every follower must call `left` in the end. */
  join(): TailRun {
    if (this.run === null || this.run.isOver) this.run = new TailRun(this.deps);
    this.run.joined();
    return this.run;
  }

  /** Ends the subscription; all followers get the failure. */
  close(failure: Error): void {
    this.run?.fail(failure);
  }
}
