import { Worker } from 'node:worker_threads';

/** About a thousand WAL pages, 4 MB: a document with its index and list entries touches two to three pages. */
const WRITES_PER_CHECKPOINT = 400;

/**
 * WAL pages (16 MB) at which commits wait for the checkpoint to catch up. Only a checkpoint without concurrent writes
 * copies the whole WAL, and only then the WAL restarts at its beginning instead of growing.
 */
const CROWDED_LOG_PAGES = 4_096;

/** The most writes during a checkpoint; otherwise a slow disk would let the WAL grow without limit meanwhile. */
const WRITES_BESIDE = 2_000;

/**
 * Plain JavaScript in a string, so that it runs the same from sources, from a build and under a test runner. A
 * checkpoint that fails reports nothing copied: the next one copies the rest, and the writing connection checkpoints as
 * a backstop.
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

/** The WAL pages that a checkpoint found, and how many of them are now in the database file. */
interface Checkpointed {
  readonly pages: number;
  readonly copied: number;
}

/**
 * Checkpoints the WAL on another thread. The copy with its two fsyncs costs as much as the writing itself and would
 * block the thread that serves HTTP for 15-50 ms every thousand documents, longer on a slow disk.
 */
export class WalCheckpointer {
  private readonly worker: Worker;
  private readonly exited: Promise<void>;
  private writes = 0;
  private crowded = false;
  private gone = false;
  /** The running checkpoint, and the function that ends the wait for it. */
  private running: { readonly done: Promise<void>; end(): void } | null = null;

  constructor(file: string) {
    this.worker = new Worker(WORKER, { eval: true, workerData: file });
    this.worker.unref();
    this.worker.on('message', ({ pages, copied }: Checkpointed) => {
      // The result describes the WAL at the start of the checkpoint: writes since then come after it.
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
      // Without the worker, the writing connection's own checkpoints bound the WAL: slower, but safe.
      this.worker.once('error', end);
    });
  }

  /** Counts writes, and starts a checkpoint when there were enough and none is running. */
  written(writes: number): void {
    this.writes += writes;
    if (this.writes >= WRITES_PER_CHECKPOINT && this.running === null) this.start();
  }

  /** Resolves at once, or, if the WAL has grown too long, when it is checkpointed. For writes that can wait. */
  async room(): Promise<void> {
    if (this.running !== null && (this.crowded || this.writes >= WRITES_BESIDE)) await this.running.done;
    if (!this.crowded) return;
    // The last checkpoint left the writes made during it; this one is waited for, so it copies everything.
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
