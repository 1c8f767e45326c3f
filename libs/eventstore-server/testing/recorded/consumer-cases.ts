import { setTimeout as sleep } from 'node:timers/promises';
import { CreateReq, ReadReq } from '@eventstore/db-client/generated/persistent_pb';
import { Empty, UUID } from '@eventstore/db-client/generated/shared_pb';
import type { Play } from './cases';
import { groupOf } from './group-cases';
import { Action, GroupConsumer } from './group-consumer';
import { Groups, type Named } from './groups';
import { until } from './outcome';
import type { Recorder } from './recorder';
import { setMetadata } from './states';

const append = (recorder: Recorder, count: number, stream = recorder.stream) =>
  recorder.append(recorder.events(count, { type: 't', data: '{}' }), 'any', stream);

const parkedStream = (recorder: Recorder) => `$persistentsubscription-${recorder.stream}::g-parked`;

/** `consumer / nack how`, on the second of three messages. */
export const nacks: Play = async (recorder, parts) => {
  const [, , how = ''] = /^(nack) (\w+)$/.exec(parts[1]!) ?? [];
  await append(recorder, 3);
  const groups = await groupOf(recorder);
  const consumer = new GroupConsumer(groups);
  await consumer.told.mark('-- nack');
  consumer.nack(Action[how.toUpperCase() as 'PARK'], consumer.ids[1]);
  recorder.note('told', await consumer.all());
  await recorder.eventually('info', () => groups.state());
  await recorder.eventually('connections', () => groups.connections());
  const parked = await recorder.read({ stream: parkedStream(recorder), count: '10' }, 'data');
  recorder.note(
    'parked',
    parked.slice(0, -1).filter((line) => !line.startsWith('streamNotFound')),
  );
  consumer.leave();
};

/** `group / read what`: what is wrong with a consumer's first or second message. */
export const oddConsumers: Play = async (recorder, parts) => {
  const what = parts.slice(1).join('/').replace('read ', '');
  const groups = what === 'nonexistent group' ? new Groups(recorder) : await groupOf(recorder);
  const isDelivered = ['second options message', 'ack malformed id', 'half-close after options: goes on?'].includes(
    what,
  );
  const before = what.startsWith('half-close') ? 2 : 1;
  if (isDelivered) await append(recorder, before);
  const first = (request: ReadReq) => {
    if (what === 'no stream option') request.getOptions()!.clearStreamIdentifier();
    if (what === 'first message is an ack') request.setAck(new ReadReq.Ack());
  };
  const consumer = new GroupConsumer(groups, { bufferSize: what === 'buffer -1' ? -1 : 10, first });
  if (what.startsWith('half-close')) {
    await consumer.told.mark('-- half-close');
    consumer.halfClose();
  }
  if (isDelivered) {
    await consumer.told.mark('-- append');
    const options = groups.name(new ReadReq.Options(), {}).setBufferSize(10);
    if (what.startsWith('second')) consumer.send(new ReadReq().setOptions(options));
    if (what.startsWith('ack')) consumer.ack(new UUID().setString('nonsense'));
    await append(recorder, 1);
  }
  recorder.note('told', await consumer.all());
  consumer.leave();
};

/** `group / … max …`: the maximum of consumers, and one more. */
export const fullGroups: Play = async (recorder, parts) => {
  const isSingle = parts[1]!.startsWith('Dispatch');
  const groups = await groupOf(recorder, {
    change(settings) {
      settings.setMaxSubscriberCount(isSingle ? 2 : 1);
      if (isSingle) (settings as CreateReq.Settings).setConsumerStrategy('DispatchToSingle');
    },
  });
  const consumers: GroupConsumer[] = [];
  for (const step of ['0', '1', '2']) {
    // With room for one, the last replaces the first.
    if (!isSingle && step === '2') {
      consumers[0]!.leave();
      await sleep(50);
    }
    const consumer = new GroupConsumer(groups, { step });
    consumers.push(consumer);
    recorder.note(step, [...(await consumer.all())]);
  }
  for (const consumer of consumers) consumer.leave();
};

/** `consumer / disconnect with half-close`: it stays connected, and keeps its messages. */
export const halfClosedConsumer: Play = async (recorder) => {
  const groups = await groupOf(recorder);
  await append(recorder, 2);
  const consumer = new GroupConsumer(groups);
  await consumer.delivered(2);
  consumer.halfClose();
  recorder.note('told', await consumer.all());
  await recorder.eventually('info', () => groups.state({}, ['totalInFlightMessages']));
  await recorder.eventually('connections', async () => [String((await groups.connections()).length)]);
  consumer.leave();
};

/** `consumer / links resolved`: one leads nowhere, and one names nothing. */
export const deadLinks: Play = async (recorder) => {
  const { stream } = recorder;
  await append(recorder, 3, `${stream}t`);
  for (const data of [`1@${stream}t`, `9@${stream}t`, 'garbage', `2@${stream}t`]) {
    await recorder.append([{ id: recorder.id(), type: '$>', contentType: 'application/octet-stream', data }], 'any');
  }
  const groups = await groupOf(recorder, { change: (settings) => settings.setResolveLinks(true) });
  const consumer = new GroupConsumer(groups, { detail: 'data' });
  recorder.note('told', await consumer.all());
  await recorder.eventually('info', () => groups.state());
  consumer.leave();
};

/** `consumer / park, replay all, delivered again`: the second and third of four. */
export const replayed: Play = async (recorder) => {
  await append(recorder, 4);
  const groups = await groupOf(recorder);
  const consumer = new GroupConsumer(groups, { detail: 'data' });
  await consumer.told.mark('-- replay');
  for (const place of [1, 2]) {
    consumer.nack(Action.PARK, consumer.ids[place]);
    await sleep(20);
  }
  await recorder.eventually('parked', () => groups.state({}, ['parkedMessageCount']));
  await groups.replayParked();
  recorder.note('told', await consumer.all());
  await recorder.eventually('replayed', () => groups.state({}, ['parkedMessageCount', 'totalInFlightMessages']));
  for (const place of [0, 3, 4, 5]) consumer.ack(consumer.ids[place]);
  await recorder.eventually('acknowledged', () => groups.state({}, ['parkedMessageCount', 'totalInFlightMessages']));
  await recorder.eventually('metadata', () => parkedMetadata(recorder));
  consumer.leave();
};

async function parkedMetadata(recorder: Recorder): Promise<readonly string[]> {
  const read = await recorder.read(
    { stream: `$$${parkedStream(recorder)}`, from: 'end', backwards: true, count: '1' },
    'data',
  );
  return read.slice(0, -1).map((line) => line.replace(/^.* json (.*) \| $/, '$1'));
}

/** `consumer / replay with no consumer connected, then connect` */
export const replayedToNobody: Play = async (recorder) => {
  await append(recorder, 2);
  const groups = await groupOf(recorder);
  const before = new GroupConsumer(groups, { step: 'before' });
  await before.delivered(2);
  before.ack(before.ids[1]);
  before.nack(Action.PARK, before.ids[0]);
  await sleep(50);
  before.leave();
  await sleep(50);
  await groups.replayParked();
  await recorder.eventually('info', () => groups.state());
  const consumer = new GroupConsumer(groups);
  recorder.note('told', await consumer.all());
  consumer.leave();
};

/** `consumer / park 5, replay stopAt 2`, and then the rest. */
export const replayedInPart: Play = async (recorder) => {
  const fields = ['parkedMessageCount', 'totalInFlightMessages'];
  const groups = await groupOf(recorder);
  await append(recorder, 5);
  const consumer = new GroupConsumer(groups);
  await consumer.told.mark('-- replay stopAt 2');
  for (const id of consumer.ids.slice()) consumer.nack(Action.PARK, id);
  await sleep(100);
  await groups.replayParked({}, (options) => options.setStopAt('2'));
  await consumer.delivered(7);
  await recorder.eventually('replayed in part', () => groups.state({}, fields));
  consumer.ack(...consumer.ids.slice(5));
  await consumer.told.mark('-- replay all');
  await groups.replayParked();
  recorder.note('told', await consumer.all());
  consumer.ack(...consumer.ids.slice(7));
  await recorder.eventually('replayed', () => groups.state({}, fields));
  consumer.leave();
};

/** `consumer / getInfo …`: what the server reports of a group's buffers. */
export const buffers: Play = async (recorder, parts) => {
  const what = parts.slice(1).join('/').replace('getInfo ', '');
  if (!what.includes('live')) await append(recorder, 10);
  if (what === 'caught up and live') await append(recorder, 3);
  const groups = await groupOf(recorder);
  const consumer = what === 'caught up and live' ? new GroupConsumer(groups) : null;
  await consumer?.delivered(3);
  await sleep(20);
  if (what.includes('live appended')) await append(recorder, 5);
  if (what === 'caught up and live') await append(recorder, 3);
  await consumer?.delivered(6);
  for (const id of consumer?.ids ?? []) consumer!.ack(id);
  await recorder.eventually('info', () => groups.state());
  consumer?.leave();
};

/** `consumer / tombstone while consuming` and `consumer / $maxCount=1, live burst of 5` */
export const endedOrCut: Play = async (recorder, parts) => {
  const isEnded = parts[1]!.startsWith('tombstone');
  if (!isEnded) await setMetadata('{"$maxCount":1}', recorder);
  await append(recorder, isEnded ? 2 : 1);
  const groups = await groupOf(recorder, isEnded ? {} : { from: 'end' });
  const consumer = new GroupConsumer(groups);
  if (isEnded) {
    await consumer.told.mark('-- tombstone');
    await recorder.tombstone('any');
  } else {
    await until(() => consumer.told.lines.length > 0);
    await append(recorder, 5);
  }
  recorder.note('told', await consumer.all());
  consumer.leave();
};

/** `consumer / $all …`: what a group on $all delivers after it has parked a message and written a checkpoint. */
export const systemEvents: Play = async (recorder, parts) => {
  const { stream } = recorder;
  const isFiltered = parts[1]!.includes('exclusion');
  const request = await allGroup(recorder, isFiltered ? '^[^\\$].*' : null);
  const consumer = new GroupConsumer(request, { isAll: true });
  await until(() => consumer.told.lines.length > 0);
  const one = (type: string, to: string) => recorder.append(recorder.events(1, { type, data: '{}' }), 'any', to);
  if (isFiltered) {
    await one('a', `${stream}t`);
    await one('$b', `${stream}t`);
    await append(recorder, 2, `${stream}u`);
  } else {
    await append(recorder, 2, `${stream}t`);
    await recorder.append([{ id: recorder.id(), type: '$metadata', data: '{}' }], 'any', `$$${stream}t`);
    await one('t', `$persistentsubscription-${stream}::y-checkpoint`);
    await consumer.delivered(2);
    consumer.nack(Action.PARK, consumer.ids[0]);
    consumer.ack(consumer.ids[1]);
  }
  recorder.note('told', await consumer.all());
  consumer.leave();
};

export async function allGroup(recorder: Recorder, regex: string | null, from = 'end'): Promise<Groups> {
  const groups = await groupOf(recorder, { group: 'unused' });
  const named: Named = { isAll: true };
  const request = groups.createRequest({ ...named, from });
  const { FilterOptions } = CreateReq.AllOptions;
  if (regex !== null) {
    const filter = new FilterOptions().setCount(new Empty()).setCheckpointintervalmultiplier(1);
    request
      .getOptions()!
      .getAll()!
      .setFilter(filter.setEventType(new FilterOptions.Expression().setRegex(regex)));
  } else request.getOptions()!.getSettings()!.setMaxCheckpointCount(1).setMinCheckpointCount(1);
  await groups.create(request);
  return groups;
}

/** `consumer / … unknown action 9` */
export const unknownAction: Play = async (recorder) => {
  const groups = await groupOf(recorder);
  await append(recorder, 1);
  const consumer = new GroupConsumer(groups);
  await consumer.delivered(1);
  consumer.nack(9, consumer.ids[0]);
  recorder.note('told', await consumer.all());
  await recorder.eventually('in flight', async () => {
    const info = await groups.getInfo();
    return [typeof info === 'string' ? info : String(info.getTotalInFlightMessages())];
  });
  consumer.leave();
};
