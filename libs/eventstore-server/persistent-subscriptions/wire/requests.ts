import type { StreamIdentifier } from '@eventstore/db-client/generated/shared_pb';
import { CreateReq, type UpdateReq } from '@eventstore/db-client/generated/persistent_pb';
import { invalidArgument, MAX_REVISION } from '../../errors';
import { describeFilter, type FilterDescription } from '../../reads/event-filter';
import { ALL_STREAM, readStreamName } from '../../wire/stream-name';
import { groupFailed } from '../failures';
import type { GroupIdentity, StartFrom } from '../group-identity';
import { clamped, type GroupSettings, isStrategy, strategyProblem, type StrategyName } from '../group-settings';
import type { GroupRequest } from '../persistent-subscriptions';

/** The group's identity in most requests. */
interface GroupOptions {
  hasAll(): boolean;
  getStreamIdentifier(): StreamIdentifier | undefined;
  getGroupName(): string;
}

const TICKS_PER_MS = 10_000;
/** The wording that clients expect. */
const BEYOND_END =
  'Invalid Start From position: commit position must be less than or equal to the last commit position in the transaction file.';
const STRATEGY_NAMES: Readonly<Record<number, StrategyName>> = {
  [CreateReq.ConsumerStrategy.DISPATCHTOSINGLE]: 'DispatchToSingle',
  [CreateReq.ConsumerStrategy.ROUNDROBIN]: 'RoundRobin',
  [CreateReq.ConsumerStrategy.PINNED]: 'Pinned',
};

/** @throws ProtocolError if the request names no group. */
export function readGroup(options: GroupOptions | undefined): GroupIdentity {
  if (options === undefined) throw invalidArgument('Options are required');
  const source = options.hasAll() ? ALL_STREAM : readStreamName(options.getStreamIdentifier());
  return { source, name: options.getGroupName() };
}

/** @throws ProtocolError for an invalid group. */
export function readCreate(
  request: CreateReq,
  lastPosition: bigint,
): GroupRequest & { readonly filter: FilterDescription | null } {
  const options = request.getOptions();
  const filter = options?.getAll()?.getFilter();
  return {
    ...readGroupRequest(options, lastPosition, options?.getSettings()?.getConsumerStrategy() ?? ''),
    filter: filter === undefined ? null : describeFilter(filter),
  };
}

/** @throws ProtocolError for an invalid group. */
export function readUpdate(request: UpdateReq, lastPosition: bigint): GroupRequest {
  return readGroupRequest(request.getOptions(), lastPosition, '');
}

function readGroupRequest(
  options: CreateReq.Options | UpdateReq.Options | undefined,
  lastPosition: bigint,
  strategyName: string,
): GroupRequest {
  const settings = options?.getSettings();
  if (options === undefined || settings === undefined) throw invalidArgument('Options and settings are required');
  const all = options.getAll();
  if (all !== undefined) {
    const group = identity(ALL_STREAM, options.getGroupName());
    const startFrom = startOfAll(group, all, lastPosition);
    return { identity: group, startFrom, settings: readSettings(group, settings, strategyName) };
  }
  const stream = options.getStream();
  // Clients before 21.10 send the stream and the start in other fields, and the official one still does.
  const name = readStreamName(stream?.getStreamIdentifier() ?? options.getStreamIdentifier());
  const group = identity(name, options.getGroupName());
  if (name === ALL_STREAM) throw groupFailed(group, `${ALL_STREAM} is asked for as such, not as a stream`);
  const startFrom = stream === undefined ? startOfRevision(settings.getRevision()) : startOfStream(stream);
  return { identity: group, startFrom, settings: readSettings(group, settings, strategyName) };
}

function identity(source: string, name: string): GroupIdentity {
  if (name === '') throw invalidArgument('A group has a name');
  return { source, name };
}

function startOfStream(stream: CreateReq.StreamOptions | UpdateReq.StreamOptions): StartFrom {
  if (stream.hasRevision()) return startOfRevision(stream.getRevision());
  return startOrEnd(stream);
}

/** Clients use numbers beyond int64 for "the end". */
function startOfRevision(text: string): StartFrom {
  const revision = BigInt(text === '' ? 0 : text);
  if (revision >= MAX_REVISION) return 'end';
  return revision === 0n ? 'start' : revision;
}

function startOfAll(
  group: GroupIdentity,
  all: CreateReq.AllOptions | UpdateReq.AllOptions,
  lastPosition: bigint,
): StartFrom {
  const position = all.getPosition();
  if (position === undefined) return startOrEnd(all);
  const commit = startOfRevision(position.getCommitPosition());
  if (typeof commit === 'string') return commit;
  if (commit > lastPosition) throw groupFailed(group, BEYOND_END);
  if (BigInt(position.getPreparePosition()) !== commit) {
    throw groupFailed(group, `Invalid Start From position: ${position.getCommitPosition()} is none of this log.`);
  }
  return commit;
}

function startOrEnd(options: { hasStart(): boolean; hasEnd(): boolean }): StartFrom {
  if (!options.hasStart() && !options.hasEnd()) throw invalidArgument('Where a group begins is required');
  return options.hasEnd() ? 'end' : 'start';
}

function readSettings(
  group: GroupIdentity,
  settings: CreateReq.Settings | UpdateReq.Settings,
  strategyName: string,
): GroupSettings {
  const strategy = strategyName === '' ? STRATEGY_NAMES[settings.getNamedConsumerStrategy()] : strategyName;
  const read = {
    resolveLinks: settings.getResolveLinks(),
    extraStatistics: settings.getExtraStatistics(),
    messageTimeoutMs: settings.hasMessageTimeoutTicks()
      ? toMs(settings.getMessageTimeoutTicks())
      : settings.getMessageTimeoutMs(),
    maxRetryCount: settings.getMaxRetryCount(),
    liveBufferSize: settings.getLiveBufferSize(),
    readBatchSize: settings.getReadBatchSize(),
    historyBufferSize: settings.getHistoryBufferSize(),
    checkpointAfterMs: settings.hasCheckpointAfterTicks()
      ? toMs(settings.getCheckpointAfterTicks())
      : settings.getCheckpointAfterMs(),
    minCheckpointCount: settings.getMinCheckpointCount(),
    maxCheckpointCount: settings.getMaxCheckpointCount(),
    maxSubscriberCount: settings.getMaxSubscriberCount(),
    strategy,
  };
  const problem = strategyProblem(strategy);
  if (problem !== null || !isStrategy(strategy)) throw groupFailed(group, problem ?? 'No consumer strategy');
  return clamped({ ...read, strategy });
}

function toMs(ticks: string): number {
  return Math.trunc(Number(ticks) / TICKS_PER_MS);
}
