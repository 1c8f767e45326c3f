import type { LeafFacts } from '@app/audit/domain';
import { type EventMetadata, eventHash, ownMetadata, type RecordedEvent } from '@app/event-sourcing';
import { netstrings, sha256Netstrings } from '@app/platform/lifecycle/system-environment';
import { leafHash } from './merkle-tree';

/** An event as a leaf of the tree. */
export interface Leaf extends LeafFacts {
  /** Null if the event does not have the form in which this service writes events. */
  readonly metadata: EventMetadata | null;
}

const FOREIGN = 'foreign';

/** The hash of an event is computed from what is stored: what the event says of itself proves nothing. */
export function leafOf(event: RecordedEvent): Leaf {
  const { streamId, revision } = event;
  const metadata = ownMetadata(event);
  const hash = metadata === null ? foreignHash(event) : eventHash(sha256Netstrings, { ...event, metadata });
  return { streamId, revision, hash, metadata };
}

export function treeLeaf({ streamId, revision, hash }: LeafFacts): Buffer {
  return leafHash(netstrings([streamId, String(revision), hash]));
}

/** Anyone may append to the log: what is not ours is a leaf all the same. */
function foreignHash({ streamId, revision, id, type, data, metadata }: RecordedEvent): string {
  return sha256Netstrings([FOREIGN, streamId, String(revision), id, type, data, metadata]);
}
