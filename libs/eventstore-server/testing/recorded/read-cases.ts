import { Empty } from '@eventstore/db-client/generated/shared_pb';
import { ReadReq } from '@eventstore/db-client/generated/streams_pb';
import type { Play } from './cases';
import { readRequest } from './requests';
import { bringAbout } from './states';

const COUNTS: Readonly<Record<string, string>> = {
  int64max: '9223372036854775807',
  uint64max: '18446744073709551615',
};

/** `read / state / direction from where|count n`, without and with compatibility, and the first two alone. */
export const reads: Play = async (recorder, [, state = '', what = '']) => {
  const { stream } = recorder;
  await bringAbout(state, recorder);
  const [, direction, kind, word = ''] = /^(\w+) (from|count) (.+)$/.exec(what) ?? [];
  const backwards = direction === 'Backwards';
  const isCount = kind === 'count';
  const from = isCount ? (backwards ? 'end' : 'start') : word;
  const count = isCount ? (COUNTS[word] ?? word) : '100';
  const reading = { stream, backwards, from, count };
  recorder.note('r', await recorder.read(reading));
  recorder.note('compat1', await recorder.read({ ...reading, compatibility: 1 }));
  if (!isCount) recorder.note('two', await recorder.read({ ...reading, count: '2', compatibility: 1 }));
};

/** Of many events only the number of messages, the first and the last. */
export const manyEvents: Play = async (recorder) => {
  const { stream } = recorder;
  await recorder.append(recorder.events(1_500), 'any');
  const note = async (step: string, reading: object) => {
    const lines = await recorder.read({ stream, ...reading });
    const told = lines.filter((line) => !line.startsWith(stream));
    recorder.note(step, [`${lines.length - 1} messages from ${lines[0]}`, ...told]);
  };
  await note('f', { count: '1000' });
  await note('f1499', { count: '1499', compatibility: 1 });
  await note('b', { count: '700', compatibility: 1, backwards: true, from: 'end' });
  await note('all', { count: '100000', compatibility: 1 });
};

/** Requests that are incomplete or contradictory. */
export const malformedReads: Play = async (recorder, [, what = '']) => {
  const { stream } = recorder;
  await bringAbout('live3', recorder);
  const request = readRequest({ stream, count: '10' });
  const options = request.getOptions()!;
  switch (what) {
    case 'no options':
      request.clearOptions();
      break;
    case 'stream without identifier':
      options.getStream()!.clearStreamIdentifier();
      break;
    case 'stream without uuid option':
      options.clearUuidOption();
      break;
    case 'stream without filter option':
      options.clearNoFilter();
      break;
    case 'stream without count':
      options.clearCount();
      break;
    case 'stream with a filter':
      options.setFilter(typePrefix('T'));
      break;
    case 'direction 7':
      options.setReadDirection(7 as ReadReq.Options.ReadDirection);
      break;
    case 'subscription backwards':
      options.setSubscription(new ReadReq.Options.SubscriptionOptions());
      options.setReadDirection(ReadReq.Options.ReadDirection.BACKWARDS);
      break;
    case 'all without count':
      options.setAll(new ReadReq.Options.AllOptions().setStart(new Empty()));
      options.clearCount();
  }
  recorder.note('r', await recorder.readMessages(request));
};

function typePrefix(prefix: string): ReadReq.Options.FilterOptions {
  const { Expression } = ReadReq.Options.FilterOptions;
  return new ReadReq.Options.FilterOptions().setMax(32).setEventType(new Expression().setPrefixList([prefix]));
}
