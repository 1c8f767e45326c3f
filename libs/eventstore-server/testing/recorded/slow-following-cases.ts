import { setTimeout as sleep } from 'node:timers/promises';
import type { Play } from './cases';
import { Following } from './following';
import { until } from './outcome';
import type { Recorder } from './recorder';
import { readRequest } from './requests';

interface Burst {
  readonly count: number;
  readonly bytes: number;
  readonly appends: number;
}

const BURSTS: Readonly<Record<string, Burst>> = {
  'slow consumer: 100 live events of 50 KB': { count: 100, bytes: 50_000, appends: 10 },
  'slow consumer: 400 live events of 20 KB': { count: 400, bytes: 20_000, appends: 20 },
  'slow consumer: 2000 live small': { count: 2_000, bytes: 10, appends: 4 },
  'CAUGHT_UP count during live: one append of 600 (stream)': { count: 600, bytes: 10, appends: 1 },
  'slow consumer of $all: 1500 live events of 5 KB': { count: 1_500, bytes: 5_000, appends: 15 },
  'one live append of 600, stream': { count: 601, bytes: 10, appends: 1 },
};
const IS_STATUS = /^\d+ [A-Z_]+: /;

const write = ({ count, bytes }: Omit<Burst, 'appends'>, recorder: Recorder) =>
  recorder.append(recorder.events(count, { type: 't', data: `"${'x'.repeat(bytes)}"` }), 'any');

/** Follows from the end, without reading, what is appended. */
async function paused(recorder: Recorder, reading: object, meanwhile: () => Promise<unknown>): Promise<Following> {
  const following = new Following(recorder, readRequest({ ...reading, isSubscription: true }));
  await until(() => following.told.lines.includes('caughtUp'));
  following.pause();
  await meanwhile();
  following.resume();
  return following;
}

/** `following / slow …`: how many events arrived, whether they were consecutive, and how it ended. */
export const bursts: Play = async (recorder, parts) => {
  const { count, bytes, appends } = BURSTS[parts.slice(1).join('/')]!;
  const reading = parts[0] === 'following $all' ? { filter: recorder.ownStream() } : { stream: recorder.stream };
  const { told, cancel } = await paused(recorder, { ...reading, from: 'end' }, async () => {
    for (let n = 0; n < appends; n += 1) await write({ count: count / appends, bytes }, recorder);
  });
  const last = `${recorder.stream}@${count - 1}:t`;
  await until(() => told.lines.includes(last) || IS_STATUS.test(told.lines.at(-1) ?? ''));
  await sleep(20);
  cancel();
  const events = told.lines.filter((line) => line.startsWith(recorder.stream));
  const isInOrder = events.every((line, revision) => line === `${recorder.stream}@${revision}:t`);
  recorder.note('told', [
    `${events.length} events${isInOrder ? '' : ' not'} in order`,
    `${told.lines.filter((line) => line === 'caughtUp').length} caughtUp`,
    told.lines.find((line) => IS_STATUS.test(line)) ?? 'goes on',
  ]);
};

/** The stream is tombstoned after events that were not read; it only counts whether there are some. */
export const tombstonedMeanwhile: Play = async (recorder) => {
  await write({ count: 1, bytes: 10 }, recorder);
  const { told, cancel } = await paused(recorder, { stream: recorder.stream }, async () => {
    await write({ count: 100, bytes: 5_000 }, recorder);
    await recorder.tombstone('any');
  });
  await until(() => told.lines.some((line) => IS_STATUS.test(line)));
  cancel();
  const kinds = told.lines.map((line) => (line.endsWith(':t') ? 'events' : line));
  recorder.note(
    'told',
    kinds.filter((kind, index) => kind !== kinds[index - 1]),
  );
};
