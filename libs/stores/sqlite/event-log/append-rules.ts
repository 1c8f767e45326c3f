import { StreamDeletedError, WrongExpectedRevisionError } from '@app/event-sourcing';
import { type LogAppendResult, type LogExpectation, NO_REVISION, TOMBSTONE_REVISION } from './log-event';

/** The place of a stored event. */
export interface StoredPlace {
  readonly id: string;
  readonly revision: bigint;
  readonly position: bigint;
}

/** What the rules need to know about a stream; the functions are called only if needed. */
export interface StreamFacts {
  readonly name: string;
  readonly lastRevision: bigint;
  /** Whether it has a metadata stream. Such a stream "exists" even without events. */
  hasMetadata(): boolean;
  /** Whether its metadata says that all its events are deleted. */
  isSoftDeleted(): boolean;
  /** At most `count` of its events, from this revision on. */
  eventsFrom(revision: bigint, count: number): readonly StoredPlace[];
  /** The place of an event of this stream that was appended recently. */
  recent(id: string): StoredPlace | undefined;
}

export type Judgement =
  | { readonly kind: 'write' }
  /** The same events are already stored: return the first result. */
  | { readonly kind: 'already-written'; readonly result: LogAppendResult }
  | { readonly kind: 'refused'; readonly error: WrongExpectedRevisionError | StreamDeletedError };

/**
 * EventStoreDB's rules for an append of events with these ids. A repeated append is recognised by its ids: with an
 * exact expected revision at any later time, by comparing with the stream; with a weak one only while the ids are
 * recent.
 */
export function judgeAppend(stream: StreamFacts, expected: LogExpectation, ids: readonly string[]): Judgement {
  const { lastRevision } = stream;
  if (lastRevision === TOMBSTONE_REVISION) return { kind: 'refused', error: new StreamDeletedError(stream.name) };
  if (expected === 'any' || expected === 'stream-exists') {
    if (expected === 'stream-exists') {
      if (stream.isSoftDeleted()) return { kind: 'refused', error: new StreamDeletedError(stream.name) };
      if (!exists(stream)) return wrongRevision(stream, expected);
    }
    return judgeRecent(stream, expected, ids);
  }
  const revision = expected === 'no-stream' ? NO_REVISION : expected;
  if (revision === lastRevision) return { kind: 'write' };
  if (revision > lastRevision) return wrongRevision(stream, expected);
  return judgeResend(stream, expected, revision + 1n, ids);
}

/** Every delete is a write of its own, never a repeat. */
const NO_EVENTS_ID = '';

/** The rules for a soft delete: whatever the expected revision, there must be something to delete. */
export function judgeSoftDelete(stream: StreamFacts, expected: LogExpectation): Judgement {
  const judgement = judgeAppend(stream, expected, [NO_EVENTS_ID]);
  return judgement.kind === 'refused' || exists(stream) ? judgement : wrongRevision(stream, expected);
}

function exists(stream: StreamFacts): boolean {
  return stream.lastRevision > NO_REVISION || stream.hasMetadata();
}

function judgeResend(stream: StreamFacts, expected: LogExpectation, from: bigint, ids: readonly string[]): Judgement {
  const stored = stream.eventsFrom(from, ids.length);
  const last = stored.at(-1);
  // For "no stream", a softly deleted stream counts as none.
  const isAnother = stored[0]?.id !== ids[0];
  if (isAnother && expected === 'no-stream' && stream.isSoftDeleted()) return { kind: 'write' };
  const same = stored.length === ids.length && stored.every(({ id }, index) => id === ids[index]);
  return same && last !== undefined ? alreadyWritten(last) : wrongRevision(stream, expected);
}

function judgeRecent(stream: StreamFacts, expected: LogExpectation, ids: readonly string[]): Judgement {
  const [firstId] = ids;
  if (firstId === undefined || stream.recent(firstId) === undefined) return { kind: 'write' };
  const places = ids.map((id) => stream.recent(id));
  const last = places.at(-1);
  // Some ids are known and some are not, so this is not a repeat.
  return last === undefined || places.includes(undefined) ? wrongRevision(stream, expected) : alreadyWritten(last);
}

function alreadyWritten({ revision, position }: StoredPlace): Judgement {
  return { kind: 'already-written', result: { revision, position } };
}

function wrongRevision(stream: StreamFacts, expected: LogExpectation): Judgement {
  const actual = stream.lastRevision === NO_REVISION ? null : Number(stream.lastRevision);
  return { kind: 'refused', error: new WrongExpectedRevisionError(stream.name, String(expected), actual) };
}
