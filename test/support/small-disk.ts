import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, statSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder in which a test can let a process run out of room, and give it room again. */
export interface SmallDisk {
  readonly path: string;
  /** From now on the process can write nothing that takes more room. */
  fill(pid: number): void;
  /** Gives that much room back; all of it unless said otherwise. */
  free(pid: number, bytes?: number): void;
  /** Nobody may have a file in it open any more. */
  remove(): void;
}

const BALLAST = 'ballast';
const BLOCK = Buffer.alloc(64 * 1024, 1);

/** A file system of its own, in memory, which another program's file fills. */
class MountedDisk implements SmallDisk {
  private constructor(readonly path: string) {}

  /** @throws an Error where this user may not mount. */
  static mount(bytes: number): MountedDisk {
    const path = mkdtempSync(join(tmpdir(), 'counterfoil-disk-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=700`, 'tmpfs', path], { stdio: 'pipe' });
    } catch (error) {
      rmSync(path, { recursive: true });
      throw error;
    }
    return new MountedDisk(path);
  }

  fill(): void {
    const file = openSync(join(this.path, BALLAST), 'a');
    try {
      while (this.freeBytes > 0) writeSync(file, BLOCK, 0, Math.min(BLOCK.length, this.freeBytes));
    } catch (error) {
      // Somebody else was quicker with the last block.
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  }

  free(_pid: number, bytes = Infinity): void {
    const file = join(this.path, BALLAST);
    truncateSync(file, Math.max(0, statSync(file).size - bytes));
  }

  remove(): void {
    execFileSync('umount', [this.path], { stdio: 'pipe' });
    rmSync(this.path, { recursive: true });
  }

  private get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.path);
    return bavail * bsize;
  }
}

/** A folder on the disk that is there, and a limit to the size of the process's files: what any user may do. */
class LimitedFiles implements SmallDisk {
  readonly path = mkdtempSync(join(tmpdir(), 'counterfoil-disk-'));

  fill(pid: number): void {
    this.limit(pid, '4096');
  }

  free(pid: number): void {
    this.limit(pid, 'unlimited');
  }

  remove(): void {
    rmSync(this.path, { recursive: true });
  }

  /** The soft limit alone, which can be raised again. */
  private limit(pid: number, size: string): void {
    execFileSync('prlimit', [`--pid=${pid}`, `--fsize=${size}:`], { stdio: 'pipe' });
  }
}

export type DiskKind = 'a full file system' | 'files that cannot grow';

export function makeSmallDisk(kind: DiskKind, bytes: number): SmallDisk {
  return kind === 'a full file system' ? MountedDisk.mount(bytes) : new LimitedFiles();
}

/** The kinds that this user can make: whoever may not mount still has the other one. */
export function diskKinds(): readonly DiskKind[] {
  try {
    MountedDisk.mount(2 ** 20).remove();
    return ['a full file system', 'files that cannot grow'];
  } catch {
    return ['files that cannot grow'];
  }
}
