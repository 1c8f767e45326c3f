import { Empty } from '@eventstore/db-client/generated/shared_pb';
import { ReadReq, type ReadResp } from '@eventstore/db-client/generated/streams_pb';
import type { Play } from './cases';
import { describeMessage, Following } from './following';
import type { Recorder } from './recorder';
import { readRequest } from './requests';

const { FilterOptions } = ReadReq.Options;
type Filter = ReadReq.Options.FilterOptions;

const byType = (regex: string, ...prefixes: string[]) =>
  new FilterOptions().setEventType(new FilterOptions.Expression().setRegex(regex).setPrefixList(prefixes));
const byStream = (regex: string, ...prefixes: string[]) =>
  new FilterOptions().setStreamIdentifier(new FilterOptions.Expression().setRegex(regex).setPrefixList(prefixes));

/** The case's stream name with the suffix, after `$` where the case says so. */
type Written = readonly (readonly [stream: string, type: string])[];

const everyFifth = (count: number): Written =>
  Array.from({ length: count }, (_, n) => ['', n % 5 === 0 ? 'Wanted' : 'Other'] as const);

interface Filtered {
  readonly filter: (stream: string) => Filter;
  readonly before: Written;
  readonly then: Written;
  /** Events are noted by name, not by position. */
  readonly isNamed?: boolean;
}

const LIVE_AT_ONCE = 3;

const TWENTY = { before: everyFifth(20), then: everyFifth(3) };
const window = (filter: Filter) => filter.setMax(500).setCheckpointintervalmultiplier(100);

const FILTERED: Readonly<Record<string, Filtered>> = {
  'event type with neither prefix nor regex': { filter: () => window(byType('')), ...TWENTY },
  'stream with neither prefix nor regex': { filter: () => window(byStream('')), ...TWENTY },
  'empty prefix': { filter: () => window(byType('', '')), before: everyFifth(5), then: everyFifth(3) },
  'prefix and regex both': { filter: () => window(byType('^W', 'O')), ...TWENTY },
  'three type prefixes': { filter: () => window(byType('', 'X', 'Wa', 'Y')), ...TWENTY },
  'prefix case': { filter: () => window(byType('', 'wanted')), ...TWENTY },
  'stream prefixes two of three streams': {
    filter: (stream) => window(byStream('', `${stream}a`, `${stream}c`)),
    before: ['a-0', 'a-0', 'b-1', 'b-1', 'c-2', 'c-2', 'a-3', 'a-3', 'b-4', 'b-4', 'c-5', 'c-5'].map(
      (suffix) => [suffix, 't'] as const,
    ),
    then: ['a', 'b', 'c'].map((letter) => [`${letter}-x`, 't'] as const),
    isNamed: true,
  },
  'excludeSystemEvents regex ^[^\\$].*': {
    filter: () => window(byType('^[^\\$].*')),
    before: [...['a', '$x', 'b'].map((type) => ['', type] as const), ['$', 'q']],
    then: [
      ['', 'c'],
      ['', '$y'],
    ],
    isNamed: true,
  },
  'multiplier 0': { filter: () => byType('', 'Wanted').setMax(32).setCheckpointintervalmultiplier(0), ...TWENTY },
  'empty filter': {
    filter: () => new FilterOptions().setCount(new Empty()).setCheckpointintervalmultiplier(1),
    ...TWENTY,
  },
  'window max=0': { filter: () => byType('', 'Wanted').setMax(0).setCheckpointintervalmultiplier(1), ...TWENTY },
  'window max=4294967295': {
    filter: () => byType('', 'Wanted').setMax(4_294_967_295).setCheckpointintervalmultiplier(1),
    ...TWENTY,
  },
};

/** `following $all / filter`, from just before the case's own events. */
export const filteredFollowing: Play = async (recorder, parts) => {
  const { filter, before, then, isNamed = false } = FILTERED[parts.slice(1).join('/')]!;
  const base = await lastPosition(recorder);
  const write = async (written: Written) => {
    for (const [suffix, type] of written) {
      const stream = suffix === '$' ? `$${recorder.stream}` : recorder.stream + suffix;
      await recorder.append(recorder.events(1, { type }), 'any', stream);
    }
  };
  await write(before);
  const following = follow(recorder, base, { filter: filter(recorder.stream), isNamed });
  await following.told.mark('-- live');
  await write(then);
  recorder.note('told', await following.end());
};

/** `following $all / checkpoints what`: which events match, by their place, and how many arrive when. */
export const checkpoints: Play = async (recorder, parts) => {
  const what = parts.slice(1).join('/');
  const { isWanted, before, live, batch } = checkpointCase(what);
  const types = (count: number, from: number) =>
    Array.from({ length: count }, (_, n) => (isWanted(n, n + from) ? 'Wanted' : 'Other'));
  const events = (of: readonly string[]) => of.flatMap((type) => recorder.events(1, { type }));
  const base = await lastPosition(recorder);
  await recorder.append(events(types(before, 0)), 'any');
  const following = follow(recorder, base, { filter: checkpointFilter(what), isNamed: false });
  await following.told.mark('-- live');
  const liveTypes = types(live, before);
  for (let n = 0; n < live; n += LIVE_AT_ONCE) {
    await recorder.append(events(liveTypes.slice(n, n + LIVE_AT_ONCE)), 'any');
  }
  const batchMark = recorder.expected['told']?.find((line) => line.startsWith('-- batch'));
  if (batchMark !== undefined) {
    await following.told.mark(batchMark);
    await recorder.append(events(types(batch, before + live)), 'any');
  }
  recorder.note('told', await following.end());
};

function checkpointCase(what: string) {
  const fifth = { isWanted: (_: number, place: number) => place % 5 === 0, before: 100, live: 40, batch: 70 };
  const none = { ...fifth, isWanted: () => false };
  const every = { ...fifth, isWanted: () => true };
  if (what.includes('few events')) return { ...none, before: 5, live: 0 };
  if (what.includes('catch-up nothing 700')) return { ...none, before: 700, live: 4 };
  if (what.includes('nothing matches')) return none;
  if (what.includes('everything matches mult=1')) return { ...every, before: 70 };
  if (what.includes('everything matches mult=2')) return { ...every, before: 45, batch: 45 };
  if (what.includes('sparse 1/100'))
    return { ...fifth, isWanted: (_: number, place: number) => place % 100 === 0, before: 700, live: 5 };
  if (what.includes('dense 300')) return { ...every, before: 300, live: 5 };
  if (what.includes('sparse 1/50')) {
    return { isWanted: (index: number) => index % 50 === 0, before: 10, live: 2, batch: 300 };
  }
  return fifth;
}

function checkpointFilter(what: string): Filter {
  const multiplier = Number(/mult=([0-9]+)/.exec(what)?.[1] ?? 1);
  const max = /window=([0-9]+)/.exec(what)?.[1];
  const filter = byType('', 'Wanted').setCheckpointintervalmultiplier(multiplier);
  return max === undefined ? filter.setCount(new Empty()) : filter.setMax(Number(max));
}

/** Links to events that exist, were truncated, or never existed; and what follows live. */
export const linksInAll: Play = async (recorder, parts) => {
  const { stream } = recorder;
  const isTyped = parts.slice(1).join('/').startsWith('filter on type');
  const link = (data: string) =>
    recorder.append(
      [{ id: recorder.id(), type: '$>', contentType: 'application/octet-stream', data }],
      'any',
      `${stream}m`,
    );
  const base = await lastPosition(recorder);
  if (isTyped) {
    await recorder.append(recorder.events(1, { type: 'tgt' }), 'any');
    await link(`0@${stream}`);
    const following = follow(recorder, base, { filter: window(byType('', 'tgt')), isNamed: true });
    await following.told.mark('-- live');
    await link(`0@${stream}`);
    recorder.note('told', await following.end());
    return;
  }
  await recorder.append(recorder.events(2, { type: 't', data: '{}' }), 'any');
  await recorder.append([{ id: recorder.id(), type: '$metadata', data: '{"$maxCount":1}' }], 'any', `$$${stream}`);
  for (const data of [`0@${stream}`, `1@${stream}`, 'zz']) await link(data);
  const following = follow(recorder, base, { filter: null, isNamed: true, detail: 'data' });
  await following.told.mark('-- live');
  for (const data of [`2@${stream}`, `1@${stream}`]) await link(data);
  recorder.note('told', await following.end());
};

/** The case's own three events, from the start of their streams and from the start of the log. */
export const ownEvents: Play = async (recorder) => {
  await recorder.append(recorder.events(3, { type: 't' }), 'any');
  const request = readRequest({ filter: window(recorder.ownStream()), isSubscription: true });
  recorder.note('told', await new Following(recorder, request).end());
};

/** `following $all / position what`, `… / read $all from …` and `… / all subscription backwards` */
export const positions: Play = async (recorder, parts) => {
  const what = parts.slice(1).join('/');
  const last = await lastPosition(recorder);
  const max = '18446744073709551615';
  const from: Readonly<Record<string, string>> = {
    'position beyond the end by 1': `${last + 1n}/${last + 1n}`,
    'position beyond the end by a million': `${last + 1_000_000n}/${last + 1_000_000n}`,
    'position commit < prepare': `${last - 1n}/${last}`,
    'position prepare 0': `${last}/0`,
    'position MAX commit, 0 prepare': `${max}/0`,
    'position mark -1': `${max}/${max}`,
    'read $all from position with commit<prepare': `${last - 1n}/${last}`,
    'all subscription backwards': 'end',
  };
  const isRead = what.startsWith('read');
  const request = readRequest({
    ...{ from: from[what]!, isSubscription: !isRead, count: '10', backwards: what.endsWith('backwards') },
  });
  recorder.note('told', await new Following(recorder, request).end());
};

function follow(
  recorder: Recorder,
  base: bigint,
  { filter, isNamed, detail = 'brief' }: { filter: Filter | null; isNamed: boolean; detail?: 'brief' | 'data' },
): Following {
  const reading = { from: `${base}/${base}`, isSubscription: true, resolveLinks: true };
  const request = readRequest(filter === null ? reading : { ...reading, filter });
  const describe = (message: ReadResp): string => {
    const checkpoint = message.getCheckpoint();
    const place = (position: string | undefined) => BigInt(position ?? 0) - base - 1n;
    if (checkpoint !== undefined) return `CP =${place(checkpoint.getCommitPosition())}`;
    const event = message.getEvent()?.getEvent();
    return isNamed || event === undefined ? describeMessage(message, detail) : `E${place(event.getCommitPosition())}`;
  };
  return new Following(recorder, request, describe);
}

/** Appended for this case. */
async function lastPosition(recorder: Recorder): Promise<bigint> {
  const [answer = ''] = await recorder.append(recorder.events(1), 'any', `${recorder.stream}base`);
  return BigInt(/P(\d+)/.exec(answer)?.[1] ?? 0);
}
