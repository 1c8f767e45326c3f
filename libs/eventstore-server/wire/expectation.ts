import type { LogExpectation } from '@app/storage/embedded';
import type { Empty } from '@eventstore/db-client/generated/shared_pb';
import { invalidArgument } from '../errors';

/** What the options of Append, Delete and Tombstone have in common. */
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

/** @throws ProtocolError when the request names none. */
export function readExpectation(options: RevisionOptions | PositionOptions): LogExpectation {
  if ('hasRevision' in options) {
    if (options.hasRevision()) return BigInt(options.getRevision());
  } else if (options.hasStreamPosition()) {
    return BigInt(options.getStreamPosition());
  }
  if (options.hasNoStream()) return 'no-stream';
  if (options.hasAny()) return 'any';
  if (options.hasStreamExists()) return 'stream-exists';
  throw invalidArgument('An expected revision is required');
}

/** The oneof that each answer spells in its own way. */
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
