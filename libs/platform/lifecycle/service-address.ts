import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The API address of a service that runs on this DATA_DIR, for the operator's command line and the demo. */
export interface ServiceAddress {
  /** As reached from this machine; without a trailing slash. */
  readonly url: string;
  readonly pid: number;
}

/** The one that started last comes first. */
interface AddressFile extends ServiceAddress {
  /** Others that run on the same DATA_DIR; absent: none. */
  readonly others?: readonly ServiceAddress[];
}

export const ADDRESS_FILE = 'service.json';

/** Puts the address first, and keeps those of other processes that still run. */
export function writeAddress(dataDir: string, url: string): void {
  write(dataDir, [{ url, pid: process.pid }, ...runningBeside(dataDir)]);
}

/** The address of a process that runs; null if there is none, or the file is unreadable. */
export function readAddress(dataDir: string): ServiceAddress | null {
  return addressesIn(dataDir).find(({ pid }) => isRunning(pid)) ?? null;
}

/** Leaves the addresses of other processes that still run. */
export function removeAddress(dataDir: string): void {
  if (!addressesIn(dataDir).some(({ pid }) => pid === process.pid)) return;
  const others = runningBeside(dataDir);
  if (others.length === 0) rmSync(join(dataDir, ADDRESS_FILE), { force: true });
  else write(dataDir, others);
}

function runningBeside(dataDir: string): readonly ServiceAddress[] {
  return addressesIn(dataDir).filter(({ pid }) => pid !== process.pid && isRunning(pid));
}

function write(dataDir: string, [first, ...others]: readonly ServiceAddress[]): void {
  const file = join(dataDir, ADDRESS_FILE);
  const draft = `${file}.${process.pid}.tmp`;
  const content = { ...first, ...(others.length === 0 ? {} : { others }) };
  writeFileSync(draft, `${JSON.stringify(content)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

function addressesIn(dataDir: string): readonly ServiceAddress[] {
  try {
    const content = JSON.parse(readFileSync(join(dataDir, ADDRESS_FILE), 'utf8')) as AddressFile;
    return [content, ...(content.others ?? [])]
      .filter(({ url, pid }) => typeof url === 'string' && Number.isSafeInteger(pid) && pid > 0)
      .map(({ url, pid }) => ({ url, pid }));
  } catch {
    return [];
  }
}

/** Whether there is a process with this id, whoever's it is. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
