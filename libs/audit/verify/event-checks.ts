import { eventHash, type EventMetadata, type RecordedEvent } from '@app/event-sourcing';
import { sha256Netstrings } from '@app/platform/lifecycle/system-environment';
import type { Leaf } from '@app/audit/leaf';
import type { Finding } from './findings';
import type { StreamEnd } from './stream-table';

/** How far an event may have been moved within its stream to be recognised. */
const MOVED_BY = 64;

type Problem = Pick<Finding, 'kind' | 'revision' | 'reason'>;

/**
 * What is wrong with an event and its place in its stream.
 *
 * @param end the event before it; null if it is the first of its stream.
 * @param isEndSealed whether a seal that was checked covers the event before it.
 */
export function problemsOfEvent(
  event: RecordedEvent,
  leaf: Leaf,
  end: StreamEnd | null,
  isEndSealed: boolean,
): readonly Problem[] {
  const place = problemOfPlace(event, end);
  const own = problemOfContent(event, leaf, end);
  if (place !== null || own !== null) return [place, own].filter((problem) => problem !== null);
  if (leaf.metadata === null || leaf.metadata.previousHash === (end?.hash ?? '')) return [];
  const { revision } = event;
  if (end === null || isEndSealed) {
    return [{ kind: 'FORGED', revision, reason: 'it does not follow on the event before it' }];
  }
  const reason = `it is not the event that revision ${revision} follows on`;
  return [{ kind: 'CHANGED', revision: end.revision, reason }];
}

function problemOfPlace({ revision }: RecordedEvent, end: StreamEnd | null): Problem | null {
  const expected = (end?.revision ?? -1) + 1;
  if (revision === expected) return null;
  if (revision < expected) {
    return { kind: 'REORDERED', revision, reason: `it stands after revision ${expected - 1} in the log` };
  }
  const count = revision - expected;
  const reason = `${count} ${count === 1 ? 'event is' : 'events are'} gone before revision ${revision}`;
  return { kind: 'MISSING', revision: expected, reason };
}

function problemOfContent(event: RecordedEvent, { metadata, hash }: Leaf, end: StreamEnd | null): Problem | null {
  const { revision } = event;
  if (metadata === null) return { kind: 'FORGED', revision, reason: 'it is not written as this service writes events' };
  if (metadata.hash === hash) return null;
  const written = writtenAt(event, metadata);
  if (written !== null) {
    return { kind: 'REORDERED', revision, reason: `the event at this place was written at revision ${written}` };
  }
  if (metadata.previousHash !== (end?.hash ?? '')) {
    return { kind: 'FORGED', revision, reason: 'neither its hash nor that of the event before it is right' };
  }
  return { kind: 'CHANGED', revision, reason: 'its hash is not that of its content' };
}

/** The revision for which the event's hash is right. */
function writtenAt(event: RecordedEvent, metadata: EventMetadata): number | null {
  const { revision } = event;
  for (let other = Math.max(0, revision - MOVED_BY); other <= revision + MOVED_BY; other += 1) {
    if (eventHash(sha256Netstrings, { ...event, revision: other, metadata }) === metadata.hash) return other;
  }
  return null;
}
