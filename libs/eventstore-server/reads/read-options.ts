import type { ReadDirection } from '@app/stores/sqlite';
import { ReadReq } from '@eventstore/db-client/generated/streams_pb';
import { invalidArgument, MAX_REVISION } from '../errors';
import type { UuidFormat } from '../wire/uuid';

/** The options that reads and subscriptions share. */
export interface CommonReadOptions {
  readonly direction: ReadDirection;
  readonly resolveLinks: boolean;
  readonly uuids: UuidFormat;
  readonly options: ReadReq.Options;
}

/** @throws ProtocolError if the combination of options is not supported by the protocol. */
export function checkCombination(options: ReadReq.Options): void {
  const { FORWARDS, BACKWARDS } = ReadReq.Options.ReadDirection;
  const what = options.hasStream() ? 'Stream' : options.hasAll() ? 'All' : null;
  if (what === null) throw invalidArgument('A stream or $all is required');
  const count = options.hasCount() ? 'Count' : options.hasSubscription() ? 'Subscription' : 'None';
  const direction = options.getReadDirection();
  const filter = options.hasFilter() ? 'Filter' : options.hasNoFilter() ? 'NoFilter' : 'None';
  const isKnown = direction === FORWARDS || (direction === BACKWARDS && count === 'Count');
  if (isKnown && count !== 'None' && filter !== 'None' && !(what === 'Stream' && filter === 'Filter')) {
    return checkWindow(options);
  }
  const way = direction === FORWARDS ? 'Forwards' : direction === BACKWARDS ? 'Backwards' : String(direction);
  throw invalidArgument(`The combination of (${what}, ${count}, ${way}, ${filter}) is invalid.`);
}

function checkWindow(options: ReadReq.Options): void {
  const filter = options.getFilter();
  if (filter === undefined) return;
  if (!filter.hasMax() && !filter.hasCount()) throw invalidArgument('A filter has a window');
  if (options.hasSubscription() && filter.getCheckpointintervalmultiplier() === 0) {
    throw invalidArgument('The multiplier of the checkpoint interval is greater than 0');
  }
}

/** Where to begin: start, end, revision or position. */
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
  if (options.hasRevision()) return readPoint(options.getRevision());
  return startOrEnd(options);
}

/** @throws ProtocolError for a position that no log can have. */
export function startOfAll(options: ReadReq.Options.AllOptions): StartingPoint {
  const position = options.getPosition();
  if (position === undefined) return startOrEnd(options);
  // Commit and prepare position are always the same here.
  const commit = position.getCommitPosition();
  if (position.getPreparePosition() !== commit) throw invalidArgument(`Commit ${commit} is another than prepare`);
  return readPoint(commit);
}

function startOrEnd(options: { hasStart(): boolean; hasEnd(): boolean }): StartingPoint {
  if (options.hasEnd()) return 'end';
  if (options.hasStart()) return 'start';
  throw invalidArgument('Where to begin is required');
}

/** Clients use -1 as an unsigned number for "the end". */
const END = 0xffff_ffff_ffff_ffffn;

function readPoint(text: string): StartingPoint {
  const value = BigInt(text);
  if (value === END) return 'end';
  if (value > MAX_REVISION) throw invalidArgument(`${text} is beyond every revision and position`);
  return value;
}
