/** The primary result codes of SQLite that matter here. */
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;

const UNAVAILABLE: readonly (number | null)[] = [BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN];

/** The structure check found damage that SQLite itself had not noticed, or stored data is not what was written. */
export class DamagedFileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DamagedFileError';
  }
}

/** The file is corrupt: a retry does not help. */
export function isCorruption(error: unknown): boolean {
  const code = primaryCode(error);
  return code === CORRUPT || code === NOTADB || error instanceof DamagedFileError;
}

/** The file cannot be read or written at present: locked by others, disk full, no permission, a failing disk. */
export function isUnavailability(error: unknown): boolean {
  return UNAVAILABLE.includes(primaryCode(error));
}

/** The disk has no space for the write. */
export function isFull(error: unknown): boolean {
  return primaryCode(error) === FULL || (error as NodeJS.ErrnoException | null)?.code === 'ENOSPC';
}

function primaryCode(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return null;
  if (typeof error.errcode !== 'number') return null;
  // The upper bits of an extended code only refine it.
  return error.errcode & 0xff;
}
