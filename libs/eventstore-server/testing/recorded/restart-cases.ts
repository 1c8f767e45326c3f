import { setTimeout as sleep } from 'node:timers/promises';
import { CreateReq, ListReq } from '@eventstore/db-client/generated/persistent_pb';
import { Empty } from '@eventstore/db-client/generated/shared_pb';
import { SpecServer } from '../spec-server';
import type { Play } from './cases';
import { Action, GroupConsumer } from './group-consumer';
import { Groups } from './groups';
import { Recorder } from './recorder';

interface Restarted {
  readonly isAll?: boolean;
  readonly from?: string;
  /** Those of the usual settings are kept. */
  readonly isUsual?: boolean;
  readonly maxRetryCount?: number;
  readonly count: number;
  /** What happened to the group and its stream before the server is stopped. */
  readonly before?: (given: { groups: Groups; consumer: GroupConsumer; recorder: Recorder }) => Promise<unknown>;
}

const answered = () => sleep(50);

const CASES: Readonly<Record<string, Restarted>> = {
  'A 5 of 10 acked': {
    count: 10,
    async before({ groups, consumer }) {
      await consumer.delivered(10);
      consumer.ack(...consumer.ids.slice(0, 5));
      await checkpoint(groups, '4');
    },
  },
  'B created at end, 3 appended, never consumed': { count: 3, from: 'end', isUsual: true },
  'C parked 2, replay': {
    count: 4,
    async before({ groups, consumer }) {
      await consumer.delivered(4);
      consumer.nack(Action.PARK, consumer.ids[0]);
      await checkpoint(groups, '0');
      consumer.nack(Action.PARK, consumer.ids[2]);
      await answered();
    },
  },
  'D retried once before': {
    count: 3,
    maxRetryCount: 5,
    async before({ consumer }) {
      await consumer.delivered(3);
      consumer.nack(Action.RETRY, consumer.ids[0]);
      await consumer.delivered(4);
    },
  },
  'E $all filter, 1 of 3 acked': {
    count: 3,
    isAll: true,
    from: 'end',
    async before({ groups, consumer }) {
      await consumer.delivered(3);
      const before = await checkpointOf(groups, true);
      consumer.ack(consumer.ids[0]);
      await groups.recorder.until(async () => (await checkpointOf(groups, true)) !== before);
    },
  },
  'G 3 acked below min checkpoint': {
    count: 5,
    isUsual: true,
    async before({ consumer }) {
      await consumer.delivered(5);
      consumer.ack(...consumer.ids.slice(0, 3));
      await answered();
    },
  },
  'H soft-deleted': {
    count: 3,
    async before({ groups, consumer, recorder }) {
      await consumer.delivered(3);
      consumer.ack(consumer.ids[0]);
      await checkpoint(groups, '0');
      await recorder.delete('any');
    },
  },
  'I tombstoned': {
    count: 3,
    async before({ groups, consumer, recorder }) {
      await consumer.delivered(3);
      consumer.ack(...consumer.ids);
      await checkpoint(groups, '2');
      await recorder.tombstone('any');
    },
  },
};

async function checkpointOf(groups: Groups, isAll = false): Promise<string> {
  const info = await groups.getInfo({ isAll });
  return typeof info === 'string' ? info : info.getLastCheckpointedEventPosition();
}

async function checkpoint(groups: Groups, place: string): Promise<void> {
  await groups.recorder.until(async () => (await checkpointOf(groups)) === place);
}

/** `restart / what a group had done`: its description and messages after its server was restarted. */
export const restarts: Play = async (recorder, parts) => {
  const what = parts.slice(1).join('/');
  const { isAll = false, from = 'start', before, isUsual = false, maxRetryCount = 10, count } = CASES[what]!;
  await withServer(recorder, async (spec, connect) => {
    let groups = new Groups(connect());
    const request = groups.createRequest({
      ...{ isAll, from },
      change(settings) {
        settings.setMaxRetryCount(maxRetryCount);
        if (!isUsual) settings.setCheckpointAfterMs(1_000).setMinCheckpointCount(1).setMaxCheckpointCount(1);
      },
    });
    const { FilterOptions } = CreateReq.AllOptions;
    const expression = new FilterOptions.Expression().setRegex(`^${recorder.stream}$`);
    if (isAll) {
      const filter = new FilterOptions().setCount(new Empty()).setCheckpointintervalmultiplier(1);
      request.getOptions()!.getAll()!.setFilter(filter.setStreamIdentifier(expression));
    }
    await groups.create(request);
    const events = groups.recorder.events(count, { type: 't' });
    await groups.recorder.append(events, 'any');
    if (before !== undefined) {
      const consumer = new GroupConsumer(groups, { isAll, step: 'before' });
      await before({ groups, consumer, recorder: groups.recorder });
      consumer.leave();
    }
    await spec.restart();
    groups = new Groups(connect());
    await recorder.eventually('info', () => groups.info({ isAll }));
    const consumer = new GroupConsumer(groups, { isAll });
    if (what.startsWith('C')) {
      await consumer.told.mark('-- replay');
      await groups.replayParked();
    }
    recorder.note('told', await consumer.all());
    consumer.leave();
  });
};

/** `restart / list all`: a group is still listed. */
export const listedAgain: Play = (recorder) =>
  withServer(recorder, async (spec, connect) => {
    await new Groups(connect()).create();
    await spec.restart();
    const request = new ListReq().setOptions(new ListReq.Options().setListAllSubscriptions(new Empty()));
    const listed = await new Groups(connect()).list(request);
    const isListed = typeof listed !== 'string' && listed.some((info) => info.getEventSource() === recorder.stream);
    recorder.note('r', [String(isListed)]);
  });

/** `restart / setup`: how two groups are stored. */
export const storedGroups: Play = (recorder) =>
  withServer(recorder, async (_spec, connect) => {
    const own = connect();
    const groups = new Groups(own);
    await groups.create({
      group: 'g x::y',
      change: (settings) => settings.setMaxRetryCount(3).setHistoryBufferSize(9).setReadBatchSize(5),
    });
    const stream = '$persistentSubscriptionConfig';
    const read = await own.read({ stream, from: 'end', backwards: true, count: '1' }, 'full');
    recorder.note('stored', [read[0]!.replace(/^.*:(\S+) \S+ P\d+ \w+ .*$/, '$1')]);
    recorder.note('metadata', (await own.read({ stream: `$$${stream}`, count: '1' }, 'full')).slice(0, -1));
  });

async function withServer(
  recorder: Recorder,
  play: (spec: SpecServer, connect: () => Recorder) => Promise<void>,
): Promise<void> {
  const spec = await SpecServer.start();
  const clients: Recorder['client'][] = [];
  const connect = () => {
    const client = Recorder.connect(`127.0.0.1:${spec.server.port}`);
    clients.push(client);
    return new Recorder(client, recorder.stream, recorder.expected);
  };
  try {
    await play(spec, connect);
  } finally {
    for (const client of clients) client.close();
    await spec.stop();
  }
}
