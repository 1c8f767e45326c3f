import { nextTurn } from '@app/stores/next-turn';
import type { LogEvent } from './log-event';
import type { LogReader } from './log-reader';

/** Events read from a stream in one turn of the event loop. */
const STREAM_PAGE_EVENTS = 256;

export interface StreamReadOptions {
  readonly direction?: 'forwards' | 'backwards' | undefined;
  readonly from?: bigint | undefined;
  readonly maxCount?: number | undefined;
}

/** The events of a stream that ends at `lastRevision`, read over several turns of the event loop if there are many. */
export async function readStreamEvents(
  { id, lastRevision }: { readonly id: bigint; readonly lastRevision: bigint },
  { direction = 'forwards', from, maxCount = Infinity }: StreamReadOptions,
  readPage: (id: bigint, range: Parameters<LogReader['readStreamPage']>[1]) => LogEvent[],
): Promise<LogEvent[]> {
  const step = direction === 'forwards' ? 1n : -1n;
  const end = direction === 'forwards' ? lastRevision : 0n;
  let next = from ?? (direction === 'forwards' ? 0n : lastRevision);
  if (direction === 'backwards' && next > lastRevision) next = lastRevision;
  const events: LogEvent[] = [];
  while ((end - next) * step >= 0n && events.length < maxCount) {
    if (events.length > 0) await nextTurn();
    const range = { from: next, to: end, maxCount: Math.min(STREAM_PAGE_EVENTS, maxCount - events.length) };
    const page = readPage(id, range);
    // Somebody who changes the file may have removed events: whoever reads the history judges what is missing.
    const last = page.at(-1);
    if (last === undefined) break;
    events.push(...page);
    next = last.revision + step;
  }
  return events;
}
