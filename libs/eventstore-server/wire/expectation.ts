import type { LogExpectation } from '@app/stores/sqlite';
import type { Empty } from '@eventstore/db-client/generated/shared_pb';
import { invalidArgument, MAX_REVISION } from '../errors';

/** The expected revision in the options of Append, Delete and Tombstone. */
interface RevisionOptions {
  hasRevision(): boolean;
  getRevision(): string;
  hasNoStream(): boolean;
  hasAny(): boolean;
  hasStreamExists(): boolean;
}

/** The same in BatchAppend, where the revision has another name. */
interface PositionOptions extends Omit<RevisionOptions, 'hasRevision' | 'getRevision'> {
  hasStreamPosition(): boolean;
  getStreamPosition(): string;
}

const NO_STREAM = 0xffff_ffff_ffff_ffffn;

/** @throws ProtocolError if the request has none, or an invalid one. */
export function readExpectation(options: RevisionOptions | PositionOptions): LogExpectation {
  if ('hasRevision' in options) {
    if (options.hasRevision()) return readRevision(options.getRevision());
  } else if (options.hasStreamPosition()) {
    return readRevision(options.getStreamPosition());
  }
  if (options.hasNoStream()) return 'no-stream';
  if (options.hasAny()) return 'any';
  if (options.hasStreamExists()) return 'stream-exists';
  throw invalidArgument('An expected revision is required');
}

/** -1 as an unsigned number is the revision of a stream that does not exist. */
function readRevision(text: string): LogExpectation {
  const revision = BigInt(text);
  if (revision === NO_STREAM) return 'no-stream';
  if (revision > MAX_REVISION) throw invalidArgument(`Revision ${text} is beyond what a stream can have`);
  return revision;
}

/** The oneof field, which each response names differently. */
export interface ExpectationFields<Nothing = Empty> {
  revision(value: string): unknown;
  any(value: Nothing): unknown;
  noStream(value: Nothing): unknown;
  streamExists(value: Nothing): unknown;
}

export function writeExpectation<Nothing>(
  expected: string,
  nothing: Nothing,
  fields: ExpectationFields<Nothing>,
): void {
  if (expected === 'any') fields.any(nothing);
  else if (expected === 'no-stream') fields.noStream(nothing);
  else if (expected === 'stream-exists') fields.streamExists(nothing);
  else fields.revision(expected);
}
