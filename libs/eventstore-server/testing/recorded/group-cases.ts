import { CreateReq, ListReq } from '@eventstore/db-client/generated/persistent_pb';
import type { StreamIdentifier } from '@eventstore/db-client/generated/shared_pb';
import { Empty } from '@eventstore/db-client/generated/shared_pb';
import type { Play } from './cases';
import { connectionsText, Groups, infoText } from './groups';
import { GroupConsumer } from './group-consumer';
import { until } from './outcome';
import type { Recorder } from './recorder';
import { streamIdentifier } from './requests';

const MAX_UINT64 = '18446744073709551615';
const BEYOND = '4611686018427387904/4611686018427387904';
const { FilterOptions } = CreateReq.AllOptions;

const SETTINGS: Readonly<Record<string, (settings: CreateReq.Settings, value: string) => unknown>> = {
  max_retry_count: (settings, value) => settings.setMaxRetryCount(Number(value)),
  min_checkpoint_count: (settings, value) => settings.setMinCheckpointCount(Number(value)),
  max_checkpoint_count: (settings, value) => settings.setMaxCheckpointCount(Number(value)),
  max_subscriber_count: (settings, value) => settings.setMaxSubscriberCount(Number(value)),
  read_batch_size: (settings, value) => settings.setReadBatchSize(Number(value)),
  history_buffer_size: (settings, value) => settings.setHistoryBufferSize(Number(value)),
  message_timeout_ms: (settings, value) => settings.setMessageTimeoutMs(Number(value)),
  message_timeout_ticks: (settings, value) => settings.setMessageTimeoutTicks(value),
  checkpoint_after_ms: (settings, value) => settings.setCheckpointAfterMs(Number(value)),
  checkpoint_after_ticks: (settings, value) => settings.setCheckpointAfterTicks(value),
  consumer_strategy: (settings, value) => settings.setConsumerStrategy(value),
};

/** `group / create setting=value`, and its description then. */
export const createdWith: Play = async (recorder, parts) => {
  const groups = new Groups(recorder);
  const [, setting = '', value = ''] = /^create ([a-z_]+)=(.+)$/.exec(parts.slice(1).join('/')) ?? [];
  const change = (settings: object) => SETTINGS[setting]!(settings as CreateReq.Settings, value);
  await noteCreated(groups, groups.createRequest({ change }));
};

async function noteCreated(groups: Groups, request: CreateReq, isAppendedTo = false): Promise<void> {
  const { recorder } = groups;
  const isAll = request.getOptions()!.hasAll();
  const outcome = await groups.create(request);
  recorder.note('r', outcome);
  if (outcome[0] !== '0 OK') return;
  if (isAppendedTo) await outgrow(recorder, 2);
  await recorder.eventually('info', () => groups.info({ isAll }));
  if (isAll) await groups.delete({ isAll });
}

/** `group / create what`: on a stream, where that or something else is unusual. */
export const oddCreations: Play = async (recorder, parts) => {
  const what = parts.slice(1).join('/').replace('create ', '');
  const groups = new Groups(recorder);
  const request = groups.createRequest(what.startsWith('stream from ') ? { from: what.slice(12) } : {});
  if (what === 'settings empty') request.getOptions()!.setSettings(new CreateReq.Settings());
  if (what === 'no settings') request.getOptions()!.clearSettings();
  if (what === 'empty stream') request.getOptions()!.getStream()!.setStreamIdentifier(streamIdentifier(''));
  if (what.startsWith('existing')) await groups.create();
  if (what.endsWith('bad strategy')) request.getOptions()!.getSettings()!.setConsumerStrategy('Foo');
  if (what.endsWith('readBatch>=history')) request.getOptions()!.getSettings()!.setReadBatchSize(500);
  if (what === 'on tombstoned stream') await recorder.tombstone('any');
  await noteCreated(groups, request);
};

const ALL: Readonly<
  Record<string, { from?: string; change?: (all: CreateReq.AllOptions, stream: string) => unknown }>
> = {
  start: {},
  none: { from: 'none' },
  'position far beyond': { from: BEYOND },
  'position commit>prepare': { from: '2/1' },
  'position MAX': { from: `${MAX_UINT64}/${MAX_UINT64}` },
  'filter event type empty': { change: (all) => all.setFilter(filterOf('')) },
  'filter invalid regex': { change: (all) => all.setFilter(filterOf('(')) },
  'filter prefix': { change: (all, stream) => all.setFilter(filterOf('', stream)) },
  'filter no window': {
    change(all, stream) {
      const filter = filterOf('', stream);
      filter.clearCount();
      all.setFilter(filter);
    },
  },
  'no filter option': { change: (all) => all.clearNoFilter() },
};

function filterOf(regex: string, prefix?: string) {
  const expression = new FilterOptions.Expression().setRegex(regex);
  const filter = new FilterOptions().setCount(new Empty()).setCheckpointintervalmultiplier(1);
  if (prefix === undefined) return filter.setEventType(expression);
  return filter.setStreamIdentifier(expression.setPrefixList([prefix]));
}

/** `group / create $all what`, in a log with more events than a group reads ahead. */
export const createdToAll: Play = async (recorder, parts) => {
  const groups = new Groups(recorder);
  const what = parts.slice(1).join('/').replace('create $all ', '');
  const { from = 'start', change } = ALL[what]!;
  const few: Readonly<Record<string, number>> = { 'filter prefix': 2, 'filter no window': 13 };
  await outgrow(recorder, few[what]);
  const request = groups.createRequest({ isAll: true, from });
  change?.(request.getOptions()!.getAll()!, recorder.stream);
  await noteCreated(groups, request, what === 'position MAX');
};

/** `group / update what`, and its description then. */
export const updates: Play = async (recorder, parts) => {
  const what = parts.slice(1).join('/').replace('update ', '');
  const groups = new Groups(recorder);
  const isAll = what.includes('$all');
  if (isAll) await outgrow(recorder);
  if (!what.startsWith('nonexistent')) await groups.create({ isAll });
  const from: Readonly<Record<string, string>> = {
    'none revision': 'none',
    'revision overflow': '9223372036854775808',
    '$all bad position': BEYOND,
    '$all none position': 'none',
  };
  const request = groups.updateRequest({ isAll, from: from[what] ?? 'start' });
  const settings = request.getOptions()!.getSettings()!;
  if (what === 'readBatch >= history') settings.setReadBatchSize(500);
  if (what === 'negative') {
    settings.setMaxRetryCount(-1).setMessageTimeoutMs(-1);
    settings.setNamedConsumerStrategy(CreateReq.ConsumerStrategy.DISPATCHTOSINGLE);
  }
  recorder.note('r', await groups.update(request));
  await recorder.eventually('info', () => groups.info({ isAll }));
  if (isAll) await groups.delete({ isAll });
};

/** `group / delete what` */
export const deletions: Play = async (recorder, parts) => {
  const what = parts.slice(1).join('/').replace('delete ', '');
  const groups = new Groups(recorder);
  if (what === 'twice') {
    await groups.create();
    recorder.note('first', await groups.delete());
    recorder.note('second', await groups.delete());
    return;
  }
  if (what.startsWith('existing')) await groups.create();
  if (what === 'stream $all by name') await groups.create({ isAll: true });
  const { stream } = recorder;
  const named: Readonly<Record<string, object>> = {
    'nonexistent $all': { isAll: true },
    'stream $all by name': { stream: '$all', group: stream },
    'existing stream, other group': { group: 'h' },
    'empty group': { stream: 'x', group: '' },
    'empty stream': { stream: '' },
  };
  const outcome = await groups.delete(named[what] ?? {}, (options) => {
    if (what === 'no stream option') options.clearStreamIdentifier();
  });
  recorder.note('r', outcome);
};

/** `group / getInfo what` */
export const descriptions: Play = async (recorder, parts) => {
  const what = parts.slice(1).join('/').replace('getInfo ', '');
  const groups = new Groups(recorder);
  if (what === 'by name $all') {
    await outgrow(recorder);
    await groups.create({ isAll: true });
    await recorder.eventually('r', () => groups.info({ stream: '$all', group: recorder.stream }));
    await groups.delete({ isAll: true });
    return;
  }
  const isAll = what === 'nonexistent $all';
  const info = await groups.getInfo({ isAll }, (options) => isAll || options.clearStreamIdentifier());
  recorder.note('r', [infoText(info)]);
};

/** `group / list what` */
export const lists: Play = async (recorder, parts) => {
  const what = parts.slice(1).join('/').replace('list ', '');
  const groups = new Groups(recorder);
  const ofStream = (identifier: StreamIdentifier | null) => {
    const stream = new ListReq.StreamOption();
    if (identifier !== null) stream.setStream(identifier);
    return new ListReq.Options().setListForStream(stream);
  };
  const all = new ListReq.Options().setListAllSubscriptions(new Empty());
  const options: Readonly<Record<string, ListReq.Options>> = {
    'for stream none': ofStream(groups.identifier({})),
    'for stream empty name': ofStream(streamIdentifier('')),
    'for stream no stream': ofStream(null),
    'no option': new ListReq.Options(),
    'all: contains': all,
    'connections shown in list': ofStream(groups.identifier({})),
  };
  const request = new ListReq();
  if (options[what] !== undefined) request.setOptions(options[what]);
  if (what.includes('contains') || what.startsWith('connections')) await groups.create();
  if (what.startsWith('connections')) {
    const consumer = new GroupConsumer(groups, { metadata: groups.calledMe() });
    await recorder.eventually('connections', async () => {
      const listed = await groups.list(request);
      return typeof listed === 'string' ? [listed] : listed.flatMap(connectionsText);
    });
    consumer.leave();
    return;
  }
  const listed = await groups.list(request);
  const isListed = typeof listed !== 'string' && listed.some((info) => info.getEventSource() === recorder.stream);
  recorder.note('r', [typeof listed === 'string' ? listed : String(isListed)]);
};

/** `group / replayParked what` */
export const replays: Play = async (recorder, parts) => {
  const what = parts.slice(1).join('/').replace('replayParked ', '');
  const groups = new Groups(recorder);
  if (!what.startsWith('nonexistent')) await groups.create();
  const outcome = await groups.replayParked({ isAll: what === 'nonexistent $all' }, (options) => {
    if (what === 'stopAt -1') options.setStopAt('-1');
    else if (what !== 'no stopAt option') options.setNoLimit(new Empty());
    if (what === 'no stream option') options.clearStreamIdentifier();
  });
  recorder.note('r', outcome);
};

/** `group / update|delete drops connected consumers` */
export const drops: Play = async (recorder, parts) => {
  const groups = new Groups(recorder);
  await groups.create();
  const consumer = new GroupConsumer(groups);
  await until(() => consumer.told.lines.length > 0);
  if (parts[1]!.startsWith('update')) await groups.update(groups.updateRequest());
  else await groups.delete();
  recorder.note('told', await consumer.all());
};

/** More than a group reads ahead. */
async function outgrow(recorder: Recorder, count = 520): Promise<void> {
  await recorder.append(recorder.events(count), 'any');
}

export async function groupOf(recorder: Recorder, ...change: Parameters<Groups['create']>): Promise<Groups> {
  const groups = new Groups(recorder);
  await groups.create(...change);
  return groups;
}
