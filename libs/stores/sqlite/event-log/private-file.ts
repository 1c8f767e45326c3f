import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/** Creates the directory, for its owner only, and durable in its parent. An existing one is left as it is. */
export function createPrivateDirectory(directory: string): void {
  const firstMade = mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (firstMade === undefined) return;
  for (let made = directory; made.length >= firstMade.length; made = dirname(made)) syncDirectory(dirname(made));
}

/**
 * Ensures that the file exists and only its owner may use it; SQLite gives its WAL the same mode. An existing file is
 * never opened: closing it would drop the locks that this process may hold on it.
 */
export function createPrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
    syncDirectory(dirname(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    chmodSync(file, 0o600);
  }
}

/** Makes the directory's entries durable: after a power loss a new file exists only if its directory was synced. */
export function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
