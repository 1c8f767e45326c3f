import { setTimeout as sleep } from 'node:timers/promises';
import { type Outcome, until } from './outcome';

/** How long no further message may arrive. */
const QUIET_MS = 25;

/** What a subscriber receives, in order; lines that begin with `-- ` say what was done in between. */
export class Told {
  readonly lines: string[] = [];

  /** @param expected determines how much to wait for, and when an action is taken. */
  constructor(private readonly expected: Outcome) {}

  /** Waits until everything before it has arrived. */
  async mark(what: string): Promise<void> {
    const place = this.expected.indexOf(what);
    await until(() => this.lines.length >= place);
    this.lines.push(what);
  }

  /** Waits until everything has arrived, and nothing more for a moment. */
  async all(): Promise<Outcome> {
    await until(() => this.lines.length >= this.expected.length);
    await sleep(QUIET_MS);
    return this.lines;
  }
}
