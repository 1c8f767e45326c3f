import type { ReadDirection } from '@app/storage/embedded';
import { ReadReq } from '@eventstore/db-client/generated/streams_pb';
import { invalidArgument, MAX_REVISION } from '../errors';
import type { UuidFormat } from '../wire/uuid';

/** What the reads and subscriptions have in common. */
export interface CommonReadOptions {
  readonly direction: ReadDirection;
  readonly resolveLinks: boolean;
  readonly uuids: UuidFormat;
  readonly options: ReadReq.Options;
}

/** Where to begin: at one of the ends, or at a revision or position. */
export type StartingPoint = 'start' | 'end' | bigint;

export function commonOptions(request: ReadReq): CommonReadOptions {
  const options = request.getOptions();
  if (options === undefined) throw invalidArgument('Options are required');
  const { BACKWARDS } = ReadReq.Options.ReadDirection;
  return {
    direction: options.getReadDirection() === BACKWARDS ? 'backwards' : 'forwards',
    resolveLinks: options.getResolveLinks(),
    uuids: options.getUuidOption()?.hasStructured() === true ? 'structured' : 'string',
    options,
  };
}

export function startOfStream(options: ReadReq.Options.StreamOptions): StartingPoint {
  if (options.hasRevision()) return bounded(BigInt(options.getRevision()));
  return options.hasEnd() ? 'end' : 'start';
}

/** @throws ProtocolError for a position that can't be one of this log. */
export function startOfAll(options: ReadReq.Options.AllOptions, lastPosition: bigint): StartingPoint {
  const position = options.getPosition();
  if (position === undefined) return options.hasEnd() ? 'end' : 'start';
  const commit = bounded(BigInt(position.getCommitPosition()));
  if (commit === 'end') return commit;
  // Every event has its own position here: commit and prepare are one and the same.
  if (commit > lastPosition || BigInt(position.getPreparePosition()) !== commit) {
    throw invalidArgument(`Position ${position.getCommitPosition()} is none of this log`);
  }
  return commit;
}

/** Numbers beyond int64 are how clients write "the end". */
function bounded(value: bigint): bigint | 'end' {
  return value >= MAX_REVISION ? 'end' : value;
}
