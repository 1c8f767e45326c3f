import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the API of the service listens that runs on this DATA_DIR: for the operator's command and the demo. */
export interface ServiceAddress {
  /** As it is reached on this machine; without a slash at its end. */
  readonly url: string;
  readonly pid: number;
}

export const ADDRESS_FILE = 'service.json';

/** Takes the place of what one that was killed has left. */
export function writeAddress(dataDir: string, url: string): void {
  const file = join(dataDir, ADDRESS_FILE);
  const draft = `${file}.${process.pid}.tmp`;
  const address: ServiceAddress = { url, pid: process.pid };
  writeFileSync(draft, `${JSON.stringify(address)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

/** Null where there is none, or nothing that can be read. It may be of a service that was killed. */
export function readAddress(dataDir: string): ServiceAddress | null {
  try {
    const { url, pid } = JSON.parse(readFileSync(join(dataDir, ADDRESS_FILE), 'utf8')) as Partial<ServiceAddress>;
    return typeof url === 'string' && typeof pid === 'number' ? { url, pid } : null;
  } catch {
    return null;
  }
}

/** Another process on the same folder may have put its own into the place. */
export function removeAddress(dataDir: string): void {
  if (readAddress(dataDir)?.pid === process.pid) rmSync(join(dataDir, ADDRESS_FILE), { force: true });
}
