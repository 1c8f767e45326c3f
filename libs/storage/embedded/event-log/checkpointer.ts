import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';

/** How much is written between two rounds; a new stream's event changes a few pages of 4 KiB besides its own bytes. */
const ROUND_BYTES = 4 * 1024 * 1024;
const PAGES_PER_EVENT_BYTES = 8 * 1024;

/**
 * In pages of 4 KiB: with the helper at work the log's own thread checkpoints only a WAL of 64 MiB, which is the moment
 * at which it can begin anew; without it, one of 4 MiB.
 */
const OWN_CHECKPOINT_PAGES = 16_000;
const UNAIDED_CHECKPOINT_PAGES = 1_000;

/**
 * Runs in a thread of its own on a connection of its own. SQLite before 3.51.3 could corrupt a WAL that one connection
 * checkpoints while another writes: it refuses to work there.
 */
const HELPER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(workerData, { timeout: 0 });
  const { version } = database.prepare('SELECT sqlite_version() AS version').get();
  const [major, minor, patch] = version.split('.').map(Number);
  if (major * 1e6 + minor * 1e3 + patch < 3051003) throw new Error('SQLite ' + version + ' is too old');
  database.exec('PRAGMA synchronous = FULL; PRAGMA checkpoint_fullfsync = ON');
  parentPort.on('message', (word) => {
    if (word === 'checkpoint') database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    else database.close();
    parentPort.postMessage(word);
    if (word === 'close') parentPort.close();
  });
`;

/**
 * Copies the WAL back into the log's file beside the event loop: a checkpoint syncs twice, and where syncs are slow the
 * event loop would stand still for both. On a fast disk it makes no difference. The price is a WAL of up to 64 MiB.
 * Should the helper thread fail, SQLite's own checkpoints after a commit do its work.
 */
export class Checkpointer {
  private helper: Worker | null = null;
  private hasFailed = false;
  private isBusy = false;
  private writtenBytes = 0;

  constructor(
    private readonly database: DatabaseSync,
    private readonly file: string,
  ) {
    this.setOwnCheckpoint(UNAIDED_CHECKPOINT_PAGES);
  }

  /** Takes note of a commit, and sets the helper to work when enough has come together. */
  written(events: number, bytes: number): void {
    this.writtenBytes += events * PAGES_PER_EVENT_BYTES + bytes;
    if (this.writtenBytes < ROUND_BYTES || this.isBusy || this.hasFailed) return;
    this.writtenBytes = 0;
    this.isBusy = true;
    this.helper ??= this.start();
    this.helper.postMessage('checkpoint');
  }

  /** Ends the helper; resolves once its connection is closed. */
  async close(): Promise<void> {
    const { helper } = this;
    if (helper === null || this.hasFailed) return;
    const exited = new Promise((resolve) => helper.once('exit', resolve));
    // Until now it was not to keep the process alive; now its end is waited for.
    helper.ref();
    helper.postMessage('close');
    await exited;
  }

  private start(): Worker {
    const helper = new Worker(HELPER, { eval: true, workerData: this.file, execArgv: [] });
    helper.on('message', () => {
      this.isBusy = false;
    });
    helper.on('error', () => this.fail());
    helper.on('exit', () => this.fail());
    helper.unref();
    this.setOwnCheckpoint(OWN_CHECKPOINT_PAGES);
    return helper;
  }

  private fail(): void {
    this.hasFailed = true;
    if (this.database.isOpen) this.setOwnCheckpoint(UNAIDED_CHECKPOINT_PAGES);
  }

  private setOwnCheckpoint(pages: number): void {
    this.database.exec(`PRAGMA wal_autocheckpoint = ${pages}`);
  }
}
