import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, statSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder in which a test can let a process run out of space, and give it space again. */
export interface SmallDisk {
  readonly path: string;
  /** From now on the process can't write anything that takes more space. */
  fill(pid: number): void;
  /** Frees that much space; all of it by default. */
  free(pid: number, bytes?: number): void;
  /** No process may have a file in it open any more. */
  remove(): void;
}

const BALLAST = 'ballast';
const BLOCK = Buffer.alloc(64 * 1024, 1);

/** A separate in-memory file system, which a filler file uses up. */
class MountedDisk implements SmallDisk {
  private constructor(readonly path: string) {}

  /** @throws an Error if this user may not mount. */
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
      // Another process took the last block first.
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

/** A folder on the existing disk, and a limit on the size of the process's files, which any user may set. */
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

  /** Sets only the soft limit, which can be raised again. */
  private limit(pid: number, size: string): void {
    execFileSync('prlimit', [`--pid=${pid}`, `--fsize=${size}:`], { stdio: 'pipe' });
  }
}

export type DiskKind = 'a full file system' | 'files that cannot grow';

export function makeSmallDisk(kind: DiskKind, bytes: number): SmallDisk {
  return kind === 'a full file system' ? MountedDisk.mount(bytes) : new LimitedFiles();
}

/** The kinds that this user can create: without the permission to mount, the other one is left. */
export function diskKinds(): readonly DiskKind[] {
  try {
    MountedDisk.mount(2 ** 20).remove();
    return ['a full file system', 'files that cannot grow'];
  } catch {
    return ['files that cannot grow'];
  }
}
