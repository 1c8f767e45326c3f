import { Worker } from 'node:worker_threads';

/** About a thousand pages of log, 4 MB, at the two to three pages that a document with its index entries touches. */
const WRITES_PER_CHECKPOINT = 400;

/**
 * Pages (16 MB) at which commits wait for the copying to catch up. Only a checkpoint that nobody writes beside copies the whole
 * log, and only then the log begins again at its start instead of growing.
 */
const CROWDED_LOG_PAGES = 4_096;

/** So many writes go on beside a checkpoint; a slow disk would otherwise let the log grow without measure meanwhile. */
const WRITES_BESIDE = 2_000;

/**
 * Plain JavaScript in a string: it then runs the same from sources, from a build and under a test runner. A checkpoint that
 * fails answers nothing copied: the next one copies what it left, and the writing connection has its own as a backstop.
 */
const WORKER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { DatabaseSync } = require('node:sqlite');
  const db = new DatabaseSync(workerData, { timeout: 1000 });
  db.exec('PRAGMA synchronous = NORMAL');
  parentPort.on('message', (message) => {
    if (message === 'close') {
      db.close();
      parentPort.close();
      return;
    }
    try {
      const { log, checkpointed } = db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
      parentPort.postMessage({ pages: log, copied: checkpointed });
    } catch {
      parentPort.postMessage({ pages: 0, copied: 0 });
    }
  });
`;

/** What a checkpoint found in the log, and how much of it is in the database file now. */
interface Checkpointed {
  readonly pages: number;
  readonly copied: number;
}

/**
 * Copies the write-ahead log into the database file on another thread. That copy with its two fsyncs costs as much as the
 * writing itself and would stop the thread that answers HTTP for 15-50 ms every thousand documents, longer on a slow disk.
 */
export class WalCheckpointer {
  private readonly worker: Worker;
  private readonly exited: Promise<void>;
  private writes = 0;
  private crowded = false;
  private gone = false;
  /** The checkpoint under way, and what ends the waiting for it. */
  private running: { readonly done: Promise<void>; end(): void } | null = null;

  constructor(file: string) {
    this.worker = new Worker(WORKER, { eval: true, workerData: file });
    this.worker.unref();
    this.worker.on('message', ({ pages, copied }: Checkpointed) => {
      // The answer speaks of the log as it was when the checkpoint began: what was written meanwhile stands behind it.
      this.crowded = pages >= CROWDED_LOG_PAGES && (copied < pages || this.writes > 0);
      this.finished();
    });
    this.exited = new Promise((resolve) => {
      const end = (): void => {
        this.gone = true;
        this.crowded = false;
        this.finished();
        resolve();
      };
      this.worker.once('exit', end);
      // Without the worker the writing connection's own checkpoints keep the log bounded: slower, and nothing else.
      this.worker.once('error', end);
    });
  }

  /** Counts what was written, and starts a checkpoint when enough was and none is running. */
  written(writes: number): void {
    this.writes += writes;
    if (this.writes >= WRITES_PER_CHECKPOINT && this.running === null) this.start();
  }

  /** Resolves at once, or when the log is copied where it has grown too long. For writes that can wait. */
  async room(): Promise<void> {
    if (this.running !== null && (this.crowded || this.writes >= WRITES_BESIDE)) await this.running.done;
    if (!this.crowded) return;
    // What was written beside the last one is left over; this one is waited for, and copies all.
    if (this.running === null) this.start();
    await this.running?.done;
  }

  /** Resolves when the other thread has closed its connection. */
  async close(): Promise<void> {
    if (!this.gone) {
      this.worker.ref();
      this.worker.postMessage('close');
    }
    await this.exited;
  }

  private start(): void {
    if (this.gone) return;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.running = { done: promise, end: () => resolve(undefined) };
    this.writes = 0;
    this.worker.postMessage('checkpoint');
  }

  private finished(): void {
    const ended = this.running;
    this.running = null;
    ended?.end();
  }
}
