import { PersistentSubscriptionsClient } from '@eventstore/db-client/generated/persistent_grpc_pb';
import type { ListReq } from '@eventstore/db-client/generated/persistent_pb';
import {
  CreateReq,
  DeleteReq,
  GetInfoReq,
  type GetInfoResp,
  type ListResp,
  ReplayParkedReq,
  type SubscriptionInfo,
  UpdateReq,
} from '@eventstore/db-client/generated/persistent_pb';
import { Empty } from '@eventstore/db-client/generated/shared_pb';
import { Metadata, type ServiceError } from '@grpc/grpc-js';
import { answered, type Outcome, statusText } from './outcome';
import type { Recorder } from './recorder';
import { streamIdentifier } from './requests';

/** A group of the case: on its stream, or on `$all` under the stream's name. */
export interface Named {
  readonly stream?: string;
  readonly isAll?: boolean;
  readonly group?: string;
}

type Settings = CreateReq.Settings | UpdateReq.Settings;
type Change = (settings: Settings) => unknown;
type Creation = Named & { readonly from?: string; readonly change?: Change };

/** Every group's description in these cases, unless the case says otherwise. */
const USUAL = {
  ...{ messageTimeoutMilliseconds: 30_000, maxRetryCount: 10, liveBufferSize: 500, bufferSize: 500 },
  ...{ readBatchSize: 20, checkPointAfterMilliseconds: 2_000, minCheckPointCount: 10, maxCheckPointCount: 1_000 },
  ...{ namedConsumerStrategy: 'RoundRobin', startFrom: '0' },
} as const;

/** The only part of a description that changes with the group's work. */
const STATE = [
  ...['status', 'totalItems', 'lastCheckpointedEventPosition', 'lastKnownEventPosition', 'readBufferCount'],
  ...['liveBufferCount', 'retryBufferCount', 'totalInFlightMessages', 'outstandingMessagesCount', 'parkedMessageCount'],
];
const RATES = ['averagePerSecond', 'countSinceLastMeasurement'];
const CONNECTION = ['availableSlots', 'connectionName', 'inFlightMessages', 'totalItems', 'username'];

export class Groups {
  readonly client: PersistentSubscriptionsClient;

  constructor(readonly recorder: Recorder) {
    this.client = recorder.over(PersistentSubscriptionsClient);
  }

  createRequest({ from = 'start', change, ...named }: Creation = {}): CreateReq {
    const options = new CreateReq.Options().setGroupName(this.groupName(named));
    if (named.isAll === true) options.setAll(startOf(new CreateReq.AllOptions().setNoFilter(new Empty()), from));
    else options.setStream(startOf(new CreateReq.StreamOptions().setStreamIdentifier(this.identifier(named)), from));
    const settings = usual(new CreateReq.Settings());
    change?.(settings);
    return new CreateReq().setOptions(options.setSettings(settings));
  }

  updateRequest({ from = 'start', change, ...named }: Creation = {}): UpdateReq {
    const options = new UpdateReq.Options().setGroupName(this.groupName(named));
    if (named.isAll === true) options.setAll(startOf(new UpdateReq.AllOptions(), from));
    else options.setStream(startOf(new UpdateReq.StreamOptions().setStreamIdentifier(this.identifier(named)), from));
    const settings = usual(new UpdateReq.Settings());
    change?.(settings);
    return new UpdateReq().setOptions(options.setSettings(settings));
  }

  create(request: CreateReq | Creation = {}): Promise<Outcome> {
    const created = request instanceof CreateReq ? request : this.createRequest(request);
    return brief(answered((respond) => this.client.create(created, respond)));
  }

  update(request: UpdateReq): Promise<Outcome> {
    return brief(answered((respond) => this.client.update(request, respond)));
  }

  delete(named: Named = {}, change: (options: DeleteReq.Options) => unknown = () => undefined): Promise<Outcome> {
    const options = this.name(new DeleteReq.Options(), named);
    change(options);
    return brief(answered((respond) => this.client.delete(new DeleteReq().setOptions(options), respond)));
  }

  replayParked(
    named: Named = {},
    change: (options: ReplayParkedReq.Options) => unknown = (options) => options.setNoLimit(new Empty()),
  ): Promise<Outcome> {
    const options = this.name(new ReplayParkedReq.Options(), named);
    change(options);
    return brief(answered((respond) => this.client.replayParked(new ReplayParkedReq().setOptions(options), respond)));
  }

  list(request: ListReq): Promise<readonly SubscriptionInfo[] | string> {
    return new Promise((resolve) => {
      this.client.list(request, (error: ServiceError | null, response?: ListResp) =>
        resolve(error === null ? response!.getSubscriptionsList() : statusText(error)),
      );
    });
  }

  getInfo(named: Named = {}, change: (options: GetInfoReq.Options) => unknown = () => undefined) {
    const options = this.name(new GetInfoReq.Options(), named);
    change(options);
    return new Promise<SubscriptionInfo | string>((resolve) => {
      this.client.getInfo(new GetInfoReq().setOptions(options), (error: ServiceError | null, response?: GetInfoResp) =>
        resolve(error === null ? response!.getSubscriptionInfo()! : statusText(error)),
      );
    });
  }

  /** Everything unusual about it. */
  async info(named: Named = {}): Promise<Outcome> {
    return [infoText(await this.getInfo(named))];
  }

  async state(named: Named = {}, fields: readonly string[] = STATE): Promise<Outcome> {
    return [infoText(await this.getInfo(named), fields)];
  }

  stateAndRates(named: Named = {}): Promise<Outcome> {
    return this.state(named, [...STATE, ...RATES]);
  }

  async connections(named: Named = {}): Promise<Outcome> {
    const info = await this.getInfo(named);
    return typeof info === 'string' ? [info] : connectionsText(info);
  }

  /** The server's name for the caller. */
  calledMe(): Metadata {
    const metadata = new Metadata();
    metadata.set('connection-name', 'me');
    return metadata;
  }

  groupName({ isAll = false, group }: Named): string {
    return group ?? (isAll ? this.recorder.stream : 'g');
  }

  identifier({ stream = this.recorder.stream }: Named) {
    return streamIdentifier(stream);
  }

  name<
    Options extends {
      setAll(all: Empty): unknown;
      setStreamIdentifier(id: unknown): unknown;
      setGroupName(n: string): unknown;
    },
  >(options: Options, named: Named): Options {
    options.setGroupName(this.groupName(named));
    if (named.isAll === true) options.setAll(new Empty());
    else options.setStreamIdentifier(this.identifier(named));
    return options;
  }
}

/** A description as its unusual fields. */
export function infoText(info: SubscriptionInfo | string, fields: readonly string[] | null = null): string {
  if (typeof info === 'string') return info;
  const told = Object.entries(info.toObject())
    .filter(([name, value]) => (fields?.includes(name) ?? !RATES.includes(name)) && isUnusual(name, value))
    .map(([name, value]) => `${name}=${value as string | number}`)
    .sort();
  // Positions differ from server to server.
  return told.join(' ').replaceAll(/(EventPosition=C:)\d+\/P:\d+/g, '$1N/P:N') || 'nothing unusual';
}

export function connectionsText(info: SubscriptionInfo): string[] {
  return info.getConnectionsList().map((connection) => {
    const measured = connection.getObservedMeasurementsList().map((each) => each.getKey());
    const told = Object.entries(connection.toObject())
      .filter(([name, value]) => CONNECTION.includes(name) && (name === 'availableSlots' || !isNothing(value)))
      .map(([name, value]) => `${name}=${value as string | number}`);
    if (measured.length > 0) told.push(`observedMeasurements=[${measured.join(', ')}]`);
    return told.sort().join(' ');
  });
}

function isUnusual(name: string, value: unknown): boolean {
  if (name.endsWith('EventPosition')) return value !== '';
  const usual = (USUAL as Record<string, unknown>)[name];
  return usual === undefined ? !isNothing(value) : value !== usual;
}

function isNothing(value: unknown): boolean {
  return value === '' || value === 0 || value === '0' || value === false || Array.isArray(value);
}

function usual<S extends Settings>(settings: S): S {
  settings.setMessageTimeoutMs(USUAL.messageTimeoutMilliseconds).setMaxRetryCount(USUAL.maxRetryCount);
  settings.setLiveBufferSize(USUAL.liveBufferSize).setHistoryBufferSize(USUAL.bufferSize);
  settings.setReadBatchSize(USUAL.readBatchSize).setCheckpointAfterMs(USUAL.checkPointAfterMilliseconds);
  settings.setMinCheckpointCount(USUAL.minCheckPointCount).setMaxCheckpointCount(USUAL.maxCheckPointCount);
  (settings as CreateReq.Settings).setNamedConsumerStrategy(CreateReq.ConsumerStrategy.ROUNDROBIN);
  return settings;
}

interface Starting {
  setStart(nothing: Empty): unknown;
  setEnd(nothing: Empty): unknown;
}

/** `start`, `end`, `none`, a revision, or a position as `<commit>/<prepare>`. */
function startOf<Options extends Starting>(options: Options, from: string): Options {
  const [commit = '', prepare = ''] = from.split('/');
  if (from === 'start') options.setStart(new Empty());
  else if (from === 'end') options.setEnd(new Empty());
  else if (from === 'none') return options;
  else if ('setRevision' in options) (options as unknown as CreateReq.StreamOptions).setRevision(from);
  else {
    const position = new CreateReq.Position().setCommitPosition(commit).setPreparePosition(prepare);
    (options as unknown as CreateReq.AllOptions).setPosition(position);
  }
  return options;
}

/** For a call without an answer, that it returned. */
async function brief(outcome: Promise<Outcome>): Promise<Outcome> {
  return (await outcome).filter((line) => line !== '');
}
