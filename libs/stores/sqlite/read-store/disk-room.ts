import { statfsSync } from 'node:fs';

/**
 * The space reserved for the event log: read models are removed when less is free. On a small disk, this share of it.
 */
const LEFT_TO_THE_LOG_BYTES = 16 * 1024 * 1024;
const LEFT_TO_THE_LOG_SHARE = 1 / 16;

/**
 * How long one look at the disk is valid, in ms: it takes microseconds, but there are thousands of statements a second.
 */
const LOOK_HOLDS_MS = 50;

/** Returns the space on a disk; replaced in specs. */
export type DiskLook = (directory: string) => { readonly freeBytes: number; readonly totalBytes: number };

const lookAtDisk: DiskLook = (directory) => {
  const { bavail, blocks, bsize } = statfsSync(directory);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
};

/**
 * Whether the disk has space for read models. They are removed before the disk is full, since they can be rebuilt and
 * the event log, which may be on the same disk, cannot.
 */
export class DiskRoom {
  private lookedAtMs = -Infinity;
  private seen = { freeBytes: Infinity, totalBytes: Infinity };
  /** The size of the read models when they were removed, in bytes; null unless they were. */
  private given: number | null = null;

  constructor(
    private readonly directory: string,
    private readonly look: DiskLook = lookAtDisk,
    private readonly lookHoldsMs = LOOK_HOLDS_MS,
  ) {}

  /** Whether only the space reserved for the log is left. */
  isShort(): boolean {
    const { freeBytes } = this.lookNow();
    return freeBytes < this.leftToTheLog;
  }

  /** Records that read models of this size were removed to make room. */
  gaveWay(bytes: number): void {
    this.given = bytes;
    this.lookedAtMs = -Infinity;
  }

  /**
   * The bytes that must be free before read models are started again; null if they may be now. Removed ones need their
   * former size and twice the log's reserve: otherwise they would fill the disk and be removed over and over.
   */
  missing(): number | null {
    const { freeBytes } = this.lookNow();
    const needed = this.given === null ? this.leftToTheLog : 2 * this.leftToTheLog + this.given;
    if (freeBytes < needed) return needed;
    this.given = null;
    return null;
  }

  private get leftToTheLog(): number {
    return Math.min(LEFT_TO_THE_LOG_BYTES, this.seen.totalBytes * LEFT_TO_THE_LOG_SHARE);
  }

  private lookNow(): { readonly freeBytes: number } {
    const nowMs = performance.now();
    if (nowMs - this.lookedAtMs >= this.lookHoldsMs) {
      this.lookedAtMs = nowMs;
      try {
        this.seen = this.look(this.directory);
      } catch {
        // The next statement will fail and report what is wrong with the directory.
      }
    }
    return this.seen;
  }
}
