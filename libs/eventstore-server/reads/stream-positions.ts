import { type EventLog, nextTurn, type StreamDescription } from '@app/stores/sqlite';

/**
 * Where the first event of a forward read is, reported if it is not on the requested page: after the deleted events, or
 * at the stream's end.
 */
export async function firstPositions(
  log: EventLog,
  stream: StreamDescription,
  { from, pageSize }: { readonly from: bigint; readonly pageSize: bigint },
): Promise<bigint[]> {
  const { firstRevision } = stream;
  const told: bigint[] = [];
  let at = from;
  if (at + pageSize <= firstRevision) {
    told.push(firstRevision);
    at = firstRevision;
  }
  const found = await firstReadable(log, stream, at);
  if (found === null ? at !== stream.lastRevision + 1n : found >= at + pageSize) {
    told.push(found ?? stream.lastRevision + 1n);
  }
  return told;
}

/** The revision of the first event from there on that is neither deleted nor expired. */
async function firstReadable(log: EventLog, stream: StreamDescription, from: bigint): Promise<bigint | null> {
  let next: bigint | null = from;
  while (next !== null) {
    const page = log.readStreamPage(stream, { direction: 'forwards', from: next, maxCount: 256 });
    const [first] = page.events;
    if (first !== undefined) return first.revision;
    next = page.next;
    if (next !== null) await nextTurn();
  }
  return null;
}
