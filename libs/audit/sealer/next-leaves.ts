import { DELETION, type EventStore, type RecordedEvent } from '@app/event-sourcing';
import { type Leaf, leafOf, treeLeaf } from '@app/audit/leaf';
import { isSealedStream, SEALED_PREFIXES } from '@app/audit/own-streams';

const FILTER = { streamPrefixes: SEALED_PREFIXES };

export interface NextLeaf {
  readonly event: RecordedEvent;
  readonly leaf: Leaf;
  readonly treeLeaf: Buffer;
}

/** The next leaves in the order of the log, at most `maxCount`. Yields to other work between pages. */
export async function* leavesAfter(
  eventStore: Pick<EventStore, 'readAll'>,
  after: bigint | null,
  maxCount: number,
): AsyncGenerator<NextLeaf, { readonly position: bigint | null }, undefined> {
  let position = after;
  for (let left = maxCount; left > 0;) {
    const page = await eventStore.readAll({ after: position, filter: FILTER, maxCount: left });
    for (const event of page.events) {
      // That events were hidden is not an event: the store reports it, and no stream has it.
      if (event.type === DELETION || !isSealedStream(event.streamId)) continue;
      const leaf = leafOf(event);
      left -= 1;
      yield { event, leaf, treeLeaf: treeLeaf(leaf) };
    }
    ({ position } = page);
    if (page.caughtUp) break;
  }
  return { position };
}
