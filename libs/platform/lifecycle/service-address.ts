import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The API address of the service that runs on this DATA_DIR, for the operator's command line and the demo. */
export interface ServiceAddress {
  /** As reached from this machine; without a trailing slash. */
  readonly url: string;
  readonly pid: number;
}

export const ADDRESS_FILE = 'service.json';

/** Replaces the file that a killed process left behind. */
export function writeAddress(dataDir: string, url: string): void {
  const file = join(dataDir, ADDRESS_FILE);
  const draft = `${file}.${process.pid}.tmp`;
  const address: ServiceAddress = { url, pid: process.pid };
  writeFileSync(draft, `${JSON.stringify(address)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

/** Null if the file is missing or unreadable. It may belong to a service that was killed. */
export function readAddress(dataDir: string): ServiceAddress | null {
  try {
    const { url, pid } = JSON.parse(readFileSync(join(dataDir, ADDRESS_FILE), 'utf8')) as Partial<ServiceAddress>;
    return typeof url === 'string' && typeof pid === 'number' ? { url, pid } : null;
  } catch {
    return null;
  }
}

/** Keeps the file if another process on the same directory has replaced it. */
export function removeAddress(dataDir: string): void {
  if (readAddress(dataDir)?.pid === process.pid) rmSync(join(dataDir, ADDRESS_FILE), { force: true });
}
