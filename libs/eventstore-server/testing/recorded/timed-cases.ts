import type { Play } from './cases';
import { allGroup } from './consumer-cases';
import { groupOf } from './group-cases';
import { Action, GroupConsumer } from './group-consumer';
import type { Recorder } from './recorder';

const append = (recorder: Recorder, count: number) =>
  recorder.append(recorder.events(count, { type: 't', data: '{}' }), 'any');

const checkpointStream = (group: string) => `$persistentsubscription-${group}-checkpoint`;

async function checkpoints(recorder: Recorder, group: string): Promise<readonly string[]> {
  const read = await recorder.read({ stream: checkpointStream(group), count: '10' }, 'data');
  return read.filter((line) => line.includes('@')).map((line) => line.replace(/^.*:(\w+) json (.*) \| $/, '$1 $2'));
}

/** `consumer / timeout 0 …`: every check of the time-outs comes one too late. */
export const timeouts: Play = async (recorder, parts) => {
  const isParked = parts[1]!.includes('parked');
  const groups = await groupOf(recorder, {
    change: (settings) => settings.setMessageTimeoutMs(0).setMaxRetryCount(isParked ? 2 : 10),
  });
  await append(recorder, 1);
  const consumer = new GroupConsumer(groups);
  for (let delivered = 1; delivered <= (isParked ? 3 : 4); delivered += 1) {
    await consumer.delivered(delivered);
    if (isParked || delivered < 4) await recorder.pass(1);
  }
  recorder.note('told', await consumer.all());
  if (isParked) {
    await recorder.eventually('parked', async () => {
      const info = await groups.getInfo();
      return [typeof info === 'string' ? info : info.getParkedMessageCount()];
    });
  }
  consumer.leave();
};

/** `consumer / nack stop …`: on the second of three; the others are done. */
export const stopped: Play = async (recorder) => {
  const groups = await groupOf(recorder, {
    change: (settings) => settings.setMessageTimeoutMs(1_000).setMinCheckpointCount(1).setMaxCheckpointCount(1),
  });
  await append(recorder, 3);
  const consumer = new GroupConsumer(groups);
  await consumer.delivered(3);
  consumer.ack(consumer.ids[0]);
  consumer.nack(Action.STOP, consumer.ids[1], consumer.ids[2]);
  await recorder.pass(3);
  recorder.note('told', await consumer.all());
  await recorder.eventually('parked', async () => {
    const info = await groups.getInfo();
    return [typeof info === 'string' ? info : info.getParkedMessageCount()];
  });
  await recorder.eventually('checkpoint', async () => {
    const written = await checkpoints(recorder, `${recorder.stream}::g`);
    return written.slice(-1).map((line) => line.replace('SubscriptionCheckpoint ', ''));
  });
  consumer.leave();
};

/** `consumer / checkpoint …`: the checkpoint written after one answer, and after more. */
export const writtenCheckpoints: Play = async (recorder, parts) => {
  const what = parts.slice(1).join('/');
  const isStream = what.startsWith('checkpoint stream');
  const [least, most] = isStream ? [1, 1] : what.includes('min 0') ? [0, 0] : [2, 1_000];
  const groups = await groupOf(recorder, {
    change: (settings) => settings.setCheckpointAfterMs(1_000).setMinCheckpointCount(least).setMaxCheckpointCount(most),
  });
  await append(recorder, 3);
  const consumer = new GroupConsumer(groups);
  await consumer.delivered(3);
  consumer.ack(consumer.ids[0]);
  await recorder.pass(3);
  const group = `${recorder.stream}::g`;
  const stream = checkpointStream(group);
  if (isStream) {
    const lines = (read: readonly string[]) => read.filter((line) => line.includes('@'));
    await recorder.eventually('checkpoints', async () => lines(await recorder.read({ stream, count: '10' }, 'data')));
    recorder.note('metadata', lines(await recorder.read({ stream: `$$${stream}`, count: '10' }, 'data')));
  } else {
    await recorder.eventually('first', () => checkpoints(recorder, group));
    if (least === 0) consumer.ack(consumer.ids[1], consumer.ids[2]);
    else consumer.ack(consumer.ids[1]);
    await recorder.pass(3);
    await recorder.eventually('second', () => checkpoints(recorder, group));
  }
  consumer.leave();
};

/** `consumer / $all group checkpoint event` */
export const checkpointsOfAll: Play = async (recorder) => {
  const groups = await allGroup(recorder, null);
  const consumer = new GroupConsumer(groups, { isAll: true, step: 'delivered' });
  await append(recorder, 1);
  await consumer.delivered(1);
  consumer.ack(consumer.ids[0]);
  await recorder.eventually('checkpoints', async () => {
    const written = await checkpoints(recorder, `$all::${recorder.stream}`);
    return written.slice(-1).map((line) => line.replaceAll(/\d+/g, 'N'));
  });
  consumer.leave();
  await groups.delete({ isAll: true });
};

/** `consumer / getInfo after activity`: two are done, one is parked, four are out and three wait. */
export const activity: Play = async (recorder) => {
  await append(recorder, 10);
  const groups = await groupOf(recorder, { change: (settings) => settings.setExtraStatistics(true) });
  const consumer = new GroupConsumer(groups, { bufferSize: 4, metadata: groups.calledMe() });
  await consumer.delivered(4);
  consumer.ack(consumer.ids[0], consumer.ids[1]);
  consumer.nack(Action.PARK, consumer.ids[2]);
  await consumer.delivered(7);
  await recorder.pass(1);
  await recorder.eventually('info', () => groups.stateAndRates());
  await recorder.eventually('connections', () => groups.connections());
  consumer.leave();
};
