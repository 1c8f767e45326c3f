import { setTimeout as sleep } from 'node:timers/promises';
import { type Outcome, until } from './outcome';

/** How long nothing more may arrive. */
const QUIET_MS = 25;

/** What a subscriber receives, in order; lines that begin with `-- ` say what was done meanwhile. */
export class Told {
  readonly lines: string[] = [];

  /** @param expected says how much to wait for, and when something is done. */
  constructor(private readonly expected: Outcome) {}

  /** Once everything before it has arrived. */
  async mark(what: string): Promise<void> {
    const place = this.expected.indexOf(what);
    await until(() => this.lines.length >= place);
    this.lines.push(what);
  }

  /** Once everything has arrived, and nothing more for a moment. */
  async all(): Promise<Outcome> {
    await until(() => this.lines.length >= this.expected.length);
    await sleep(QUIET_MS);
    return this.lines;
  }
}
