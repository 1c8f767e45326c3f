import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@app/kernel';
import type { LogEventToAppend } from '../../embedded/event-log/log-event';

/** The real clock: the specs of the log wait for the disk anyway. */
export const systemClock = {
  nowMs: () => Date.now(),
  monotonicMs: () => Math.floor(performance.now()),
  sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
  deadline(ms: number, ...others: AbortSignal[]) {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), ms);
    return { signal: AbortSignal.any([abort.signal, ...others]), clear: () => clearTimeout(timer) };
  },
} satisfies Clock;

/** A directory for one test, and what removes it. */
export function temporaryDirectory(): { readonly directory: string; remove(): void } {
  const directory = mkdtempSync(join(tmpdir(), 'event-log-'));
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

export function logEvents(count: number, type = 'Happened'): LogEventToAppend[] {
  return Array.from({ length: count }, (_, n) => ({
    id: randomUUID(),
    type,
    isJson: n % 2 === 0,
    data: Uint8Array.of(n % 256, 0, 255),
    metadata: new Uint8Array(0),
  }));
}
