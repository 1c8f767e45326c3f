import { setTimeout as sleep } from 'node:timers/promises';
import type { MerchantClient } from './merchant-client';

const LISTS = [
  '/api/v2/payments?limit=5',
  '/api/v2/disputes?limit=5',
  '/api/v2/balances',
  '/api/v2/balances/statement?currency=EUR&limit=5',
  '/api/v2/webhook-deliveries?limit=5',
  '/api/v2/events?limit=5',
];

/** What may go unanswered for a while: everything, if the process that answers is gone, or only lists. */
export type Excused = 'everything' | 'lists';

interface Outage {
  readonly excused: Excused;
  isOver: boolean;
}

/** Requests lists, a payment and a batch repeatedly until ended; records every failed response. */
export class Reader {
  readonly refused: string[] = [];
  answered = 0;
  private readonly outages: Outage[] = [];
  private isEnding = false;
  private readonly reading: Promise<unknown>;

  constructor(
    private readonly client: MerchantClient,
    private readonly paymentId: string,
  ) {
    const single = { path: `/api/v2/payments/${paymentId}`, isList: false };
    const lists = LISTS.map((path) => ({ path, isList: true }));
    // A list that waits must not delay the other requests.
    const all = [single, { path: 'batch', isList: false }, ...lists];
    this.reading = Promise.all(all.map(({ path, isList }) => this.keepReading(path, isList)));
  }

  /** Failures during the work don't count if they are excused. */
  async excusing<T>(excused: Excused, work: () => Promise<T>): Promise<T> {
    const outage: Outage = { excused, isOver: false };
    this.outages.push(outage);
    try {
      return await work();
    } finally {
      outage.isOver = true;
    }
  }

  async end(): Promise<void> {
    this.isEnding = true;
    await this.reading;
  }

  private async keepReading(path: string, isList: boolean): Promise<void> {
    while (!this.isEnding) {
      const over = new Set(this.outages.filter(({ isOver }) => isOver));
      const problem = await this.read(path);
      const isExcused = this.outages.some((outage) => !over.has(outage) && (isList || outage.excused === 'everything'));
      if (problem === null) this.answered += 1;
      else if (!isExcused) this.refused.push(`${path}: ${problem}`);
      await sleep(10);
    }
  }

  private async read(path: string): Promise<string | null> {
    try {
      const sent =
        path === 'batch'
          ? this.client.batchQuery([this.paymentId])
          : this.client.send('GET', path, undefined, {}, false);
      const { status, text } = await sent;
      return status === 200 ? null : `${status} ${text}`;
    } catch (error) {
      return String(error);
    }
  }
}
