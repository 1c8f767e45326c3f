import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';

/**
 * Bytes written between two checkpoints. The first event of a stream changes a few 4 KiB pages beside its own bytes.
 */
const ROUND_BYTES = 4 * 1024 * 1024;
const PAGES_PER_EVENT_BYTES = 8 * 1024;

/**
 * In pages of 4 KiB. With the helper, the log's own thread checkpoints only a WAL of 64 MiB, when it can be restarted;
 * without it, one of 4 MiB.
 */
const OWN_CHECKPOINT_PAGES = 16_000;
const UNAIDED_CHECKPOINT_PAGES = 1_000;

/**
 * Runs in a thread of its own on its own connection. Refuses to run on SQLite before 3.51.3, which could corrupt a WAL
 * that one connection checkpoints while another writes.
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
 * Checkpoints the WAL in another thread: a checkpoint syncs twice, which would block the event loop where syncs are
 * slow. On a fast disk it makes no difference. The WAL may grow to 64 MiB. If the helper thread fails, SQLite's own
 * checkpoints after a commit take over.
 */
export class WalCheckpointer {
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

  /** Counts a commit, and starts the helper when enough has been written. */
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
    // So far it did not keep the process alive; now the process waits for its end.
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
