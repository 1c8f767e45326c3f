import { existsSync, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
const ENOUGH_BYTES = 1024 ** 3;

/**
 * A directory of its own, in memory where there is room: a server answers each append once it is synced to the disk,
 * and what these specs prove does not hang on how long that takes.
 */
export function scratchDirectory(prefix: string): string {
  return mkdtempSync(join(hasRoom() ? IN_MEMORY : tmpdir(), prefix));
}

function hasRoom(): boolean {
  if (!existsSync(IN_MEMORY)) return false;
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return bavail * bsize > ENOUGH_BYTES;
}
