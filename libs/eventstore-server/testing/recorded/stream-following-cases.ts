import { setTimeout as sleep } from 'node:timers/promises';
import { Empty } from '@eventstore/db-client/generated/shared_pb';
import { ReadReq } from '@eventstore/db-client/generated/streams_pb';
import type { Play } from './cases';
import { describeMessage, Following } from './following';
import type { Recorder } from './recorder';
import { readRequest } from './requests';
import { setMetadata } from './states';

interface Followed {
  readonly before?: (recorder: Recorder) => Promise<unknown>;
  readonly from?: string;
  /** What is done then, and how it is noted. */
  readonly then?: readonly [mark: string, (recorder: Recorder) => Promise<unknown>];
  readonly isMetadata?: boolean;
}

const append = (count: number) => (recorder: Recorder) => recorder.append(recorder.events(count, { type: 't' }), 'any');

const tombstone = (recorder: Recorder) => recorder.tombstone('any');

const inTurn =
  (...steps: readonly ((recorder: Recorder) => Promise<unknown>)[]) =>
  async (recorder: Recorder) => {
    for (const step of steps) await step(recorder);
  };

const softDeleted = inTurn(append(3), (recorder) => recorder.delete('any'));
const tombstoned = inTurn(append(1), tombstone);
const atMost = (maxCount: number) => (recorder: Recorder) => setMetadata(`{"$maxCount":${maxCount}}`, recorder);
const nothing = () => Promise.resolve();

const FOLLOWED: Readonly<Record<string, Followed>> = {
  'from revision 9223372036854775807': { from: 'rev9223372036854775807', then: ['-- live', append(1)] },
  'from revision 9223372036854775808': { from: 'rev9223372036854775808', then: ['-- live', append(1)] },
  'tombstone while subscribed': { before: append(3), then: ['-- tombstone', tombstone] },
  'tombstone while subscribed from end': { before: append(3), from: 'end', then: ['-- tombstone', tombstone] },
  'tombstone of nonexistent while subscribed': { then: ['-- tombstone', tombstone] },
  'soft-deleted before subscribing, from start, then recreate': {
    ...{ before: softDeleted, then: ['-- recreate', append(2)] },
  },
  'soft-deleted from revision 1, recreate': { before: softDeleted, from: 'rev1', then: ['-- recreate', append(2)] },
  'already tombstoned from start': { before: tombstoned },
  'already tombstoned from revision 1': { before: tombstoned, from: 'rev1' },
  'already tombstoned from end': { before: tombstoned, from: 'end' },
  '$tb set while live': {
    before: append(6),
    then: ['-- tb 100', inTurn((recorder) => setMetadata('{"$tb":100}', recorder), append(2))],
  },
  '$maxCount=2': { before: inTurn(atMost(2), append(6)), then: ['-- append 3', append(3)] },
  'subscription from end, $maxCount=1, burst of 5': {
    ...{ before: inTurn(atMost(1), append(3)), from: 'end', then: ['', append(5)] },
  },
  'metastream subscription, stream deleted': {
    ...{ before: append(1), then: ['-- delete', (recorder) => recorder.delete('any')], isMetadata: true },
  },
};

const MALFORMED: Readonly<Record<string, (options: ReadReq.Options, request: ReadReq) => unknown>> = {
  'empty stream name': (options) => options.getStream()!.getStreamIdentifier()!.setStreamName(''),
  'stream subscription with filter': (options) =>
    options.setFilter(
      new ReadReq.Options.FilterOptions()
        .setCount(new Empty())
        .setCheckpointintervalmultiplier(1)
        .setEventType(new ReadReq.Options.FilterOptions.Expression().setPrefixList(['t'])),
    ),
  'no filter option at all': (options) => options.clearNoFilter(),
  'no revision option': (options) => options.getStream()!.clearStart(),
  'no count option': (options) => options.clearSubscription(),
  'no stream option': (options) => options.clearStream(),
  'no options': (_options, request) => request.clearOptions(),
  '$all no position option': (options) => options.setAll(new ReadReq.Options.AllOptions()),
};

/** `following a stream / what`: what it delivers of the past, and of what happens then. */
export const followedStreams: Play = async (recorder, parts) => {
  const what = parts.slice(1).join('/');
  const { before = nothing, from = 'start', then, isMetadata = false } = FOLLOWED[what] ?? {};
  await before(recorder);
  const stream = isMetadata ? `$$${recorder.stream}` : recorder.stream;
  const request = readRequest({ stream, from, isSubscription: true });
  MALFORMED[what]?.(request.getOptions()!, request);
  const following = new Following(recorder, request, (message) =>
    describeMessage(message, isMetadata ? 'data' : 'brief'),
  );
  if (then !== undefined) {
    const [mark, act] = then;
    if (mark === '') await sleep(50);
    else await following.told.mark(mark);
    await act(recorder);
  }
  recorder.note('told', await following.end());
};
