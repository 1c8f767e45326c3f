import { setTimeout as sleep } from 'node:timers/promises';
import { type Outcome, until } from './outcome';

/** So long nothing more may come. */
const QUIET_MS = 25;

/** What a subscriber is told, in order, and by lines that begin with `-- ` what was done meanwhile. */
export class Told {
  readonly lines: string[] = [];

  /** @param expected says how much is waited for, and when something is done. */
  constructor(private readonly expected: Outcome) {}

  /** Once all has come that comes before it. */
  async mark(what: string): Promise<void> {
    const place = this.expected.indexOf(what);
    await until(() => this.lines.length >= place);
    this.lines.push(what);
  }

  /** Once all has come, and a moment has shown that it is all. */
  async all(): Promise<Outcome> {
    await until(() => this.lines.length >= this.expected.length);
    await sleep(QUIET_MS);
    return this.lines;
  }
}
