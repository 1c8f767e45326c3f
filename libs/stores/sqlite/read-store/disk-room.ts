import { statfsSync } from 'node:fs';

/** What the event log is left with when the read models give way, and the share of a small disk that stands for it. */
const LEFT_TO_THE_LOG_BYTES = 16 * 1024 * 1024;
const LEFT_TO_THE_LOG_SHARE = 1 / 16;

/** How long one look at the disk holds, in ms: a look takes some microseconds, and there are thousands of statements a second. */
const LOOK_HOLDS_MS = 50;

/** How much room a disk has; replaced in specs. */
export type DiskLook = (directory: string) => { readonly freeBytes: number; readonly totalBytes: number };

const lookAtDisk: DiskLook = (directory) => {
  const { bavail, blocks, bsize } = statfsSync(directory);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
};

/**
 * Whether there is room on the disk for what can be built again. Read models give way before the disk is full: the event log,
 * which may lie on the same one, can't.
 */
export class DiskRoom {
  private lookedAtMs = -Infinity;
  private seen = { freeBytes: Infinity, totalBytes: Infinity };
  /** The room that read models took when they gave way; null while they have it. */
  private given: number | null = null;

  constructor(
    private readonly directory: string,
    private readonly look: DiskLook = lookAtDisk,
    private readonly lookHoldsMs = LOOK_HOLDS_MS,
  ) {}

  /** True when what is left belongs to the log. */
  isShort(): boolean {
    const { freeBytes } = this.lookNow();
    return freeBytes < this.leftToTheLog;
  }

  /** Notes that read models of this size were removed to make room. */
  gaveWay(bytes: number): void {
    this.given = bytes;
    this.lookedAtMs = -Infinity;
  }

  /**
   * How many bytes have to be free for read models to begin anew; null when they may. Those that gave way need what they had
   * taken and as much again as is left to the log: otherwise they would fill the disk, and give way, over and over.
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
        // What is wrong with the directory is for the statement to find out that follows.
      }
    }
    return this.seen;
  }
}
