import type { DatabaseSync, StatementSync } from 'node:sqlite';

import { AssertionFailedError } from '@app/event-sourcing';

import { GatewayOutcomeUnknownError, GatewayUnavailableError } from '../port';

const MAX_WAITING = 10_000;
const MAX_PER_TRANSACTION = 500;

/**
 * How durable an act must be when it is answered: on disk, or surviving a process crash but perhaps not a power cut.
 * Anything that moves money goes to disk, together with everything before it.
 */
export type Durability = 'on-disk' | 'outlives-the-process';

interface WaitingAct {
  readonly durability: Durability;
  /** Executes the act; returns a function that acknowledges it, to be called after the commit. */
  perform(): () => void;
  refuse(error: Error): void;
}

/**
 * All acts of one event-loop turn share a transaction, and therefore one flush to disk; each is answered after the
 * commit. Acts run one at a time, in order of arrival, with exclusive access to the file across all processes.
 */
export class GroupCommit {
  private readonly waiting: WaitingAct[] = [];
  private closed = false;
  private readonly begin: StatementSync;
  private readonly commit: StatementSync;
  private synced: Durability = 'on-disk';

  /** @param told receives, for every transaction, whether it was written. */
  constructor(
    private readonly db: DatabaseSync,
    private readonly told: (written: boolean) => void = () => undefined,
  ) {
    this.begin = db.prepare('BEGIN IMMEDIATE');
    this.commit = db.prepare('COMMIT');
  }

  /**
   * Runs `act` inside the next transaction. It may throw an AssertionFailedError if it has written nothing.
   *
   * @throws GatewayUnavailableError if nothing was written, GatewayOutcomeUnknownError if the commit itself failed
   */
  run<T>(act: () => T, durability: Durability = 'on-disk'): Promise<T> {
    if (this.closed) return Promise.reject(new GatewayUnavailableError('The sandbox gateway is closed'));
    if (this.waiting.length >= MAX_WAITING) {
      return Promise.reject(new GatewayUnavailableError('The sandbox gateway has too much waiting'));
    }
    return new Promise<T>((resolve, reject) => {
      this.waiting.push({
        durability,
        perform: () => {
          const result = act();
          return () => {
            resolve(result);
          };
        },
        refuse: reject,
      });
      if (this.waiting.length === 1) {
        setImmediate(() => {
          this.flush();
        });
      }
    });
  }

  /** Executes what is waiting now, so that a following read sees it. */
  flush(): void {
    while (this.waiting.length > 0) this.transact(this.waiting.splice(0, MAX_PER_TRANSACTION));
  }

  /** Executes what is waiting and accepts nothing more. */
  close(): void {
    this.flush();
    this.closed = true;
  }

  private transact(acts: readonly WaitingAct[]): void {
    const acknowledgements: (() => void)[] = [];
    try {
      this.syncAsFarAs(acts.some(({ durability }) => durability === 'on-disk') ? 'on-disk' : 'outlives-the-process');
      this.begin.run();
      for (const act of acts) acknowledgements.push(performOrRefuse(act));
    } catch (cause) {
      this.refuseAll(acts, new GatewayUnavailableError('The sandbox books cannot be written', { cause }));
      return;
    }
    try {
      this.commit.run();
    } catch (cause) {
      this.refuseAll(acts, new GatewayOutcomeUnknownError('The sandbox books may not have been written', { cause }));
      return;
    }
    this.told(true);
    for (const acknowledge of acknowledgements) acknowledge();
  }

  private syncAsFarAs(durability: Durability): void {
    if (durability === this.synced) return;
    this.db.exec(`PRAGMA synchronous = ${durability === 'on-disk' ? 'FULL' : 'NORMAL'}`);
    this.synced = durability;
  }

  private refuseAll(acts: readonly WaitingAct[], error: Error): void {
    // After some errors, such as a full disk, SQLite has already rolled back.
    if (this.db.isTransaction) this.db.exec('ROLLBACK');
    this.told(false);
    for (const act of acts) act.refuse(error);
  }
}

/** A caller's bug affects only that caller; any other error aborts the whole transaction. */
function performOrRefuse(act: WaitingAct): () => void {
  try {
    return act.perform();
  } catch (error) {
    if (!(error instanceof AssertionFailedError)) throw error;
    return () => {
      act.refuse(error);
    };
  }
}
