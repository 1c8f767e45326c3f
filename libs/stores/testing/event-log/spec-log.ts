import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Clock } from '@app/event-sourcing';
import type { LogEventToAppend } from '@app/stores/sqlite/event-log/log-event';

/** The real clock, or one whose wall time a spec sets: specs of the log wait for the disk anyway. */
export class SpecClock extends Clock {
  constructor(private readonly wallMs: () => number = Date.now) {
    super();
  }

  override nowMs(): number {
    return this.wallMs();
  }

  override monotonicMs(): number {
    return Math.floor(performance.now());
  }

  override sleep(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }

  override deadline(ms: number, ...others: AbortSignal[]) {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), ms);
    return { signal: AbortSignal.any([abort.signal, ...others]), clear: () => clearTimeout(timer) };
  }
}

export const systemClock = new SpecClock();

/** A directory for one test, with a function that removes it. */
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
