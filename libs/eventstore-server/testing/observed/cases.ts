import { Empty } from '@eventstore/db-client/generated/shared_pb';
import { ReadReq } from '@eventstore/db-client/generated/streams_pb';

export function missing(name: string): never {
  throw new Error(`Nobody has said how ${name} is played`);
}

const { FilterOptions } = ReadReq.Options;
const byType = (regex: string, ...prefixes: string[]) =>
  new FilterOptions().setEventType(new FilterOptions.Expression().setRegex(regex).setPrefixList(prefixes));
const byStream = (regex: string, ...prefixes: string[]) =>
  new FilterOptions().setStreamIdentifier(new FilterOptions.Expression().setRegex(regex).setPrefixList(prefixes));

type Written = readonly (readonly [stream: string, type: string])[];
const everyFifth = (count: number, from = 0): Written =>
  Array.from({ length: count }, (_, n) => ['s2', (n + from) % 5 === 0 ? 'Wanted' : 'Other'] as const);

export const FILTERS: Readonly<
  Record<string, { filter: ReadReq.Options.FilterOptions; before: Written; then: Written; isNamed?: boolean }>
> = {
  'S2 event type with neither prefix nor regex': { filter: byType(''), before: everyFifth(20), then: everyFifth(3) },
  'S2 stream with neither prefix nor regex': { filter: byStream(''), before: everyFifth(20), then: everyFifth(3) },
  'S2 empty prefix': { filter: byType('', ''), before: everyFifth(5), then: everyFifth(3) },
  'S2 prefix and regex both': { filter: byType('^W', 'O'), before: everyFifth(20), then: everyFifth(3) },
  'S2 three type prefixes': { filter: byType('', 'X', 'Wa', 'Y'), before: everyFifth(20), then: everyFifth(3) },
  'S2 prefix case': { filter: byType('', 'wanted'), before: everyFifth(20), then: everyFifth(3) },
  'S2 stream prefixes two of three streams': {
    filter: byStream('', 's2spa', 's2spc'),
    before: ['a-0', 'a-0', 'b-1', 'b-1', 'c-2', 'c-2', 'a-3', 'a-3', 'b-4', 'b-4', 'c-5', 'c-5'].map(
      (stream) => [`s2sp${stream}`, 't'] as const,
    ),
    then: ['a', 'b', 'c'].map((letter) => [`s2sp${letter}-x`, 't'] as const),
    isNamed: true,
  },
  'S2 excludeSystemEvents regex ^[^\\$].*': {
    filter: byType('^[^\\$].*'),
    before: [...['a', '$x', 'b'].map((type) => ['s2ex', type] as const), ['$s2ex', 'q']],
    then: [
      ['s2ex', 'c'],
      ['s2ex', '$y'],
    ],
    isNamed: true,
  },
};

/** Which events are wanted, by their place in an append and over all, and how many come when. */
export function checkpointCase(name: string) {
  const fifth = { matches: (_: number, place: number) => place % 5 === 0, before: 100, live: 40, batch: 70 };
  const never = () => false;
  const every = { ...fifth, matches: () => true };
  if (name.includes('few events')) return { ...fifth, matches: never, before: 5, live: 0 };
  if (name.includes('catch-up nothing 700')) return { ...fifth, matches: never, before: 700, live: 4 };
  if (name.includes('nothing matches')) return { ...fifth, matches: never };
  if (name.includes('everything matches mult=1')) return { ...every, before: 70 };
  if (name.includes('everything matches mult=2')) return { ...every, before: 45, batch: 45 };
  if (name.includes('sparse 1/100'))
    return { ...fifth, matches: (_: number, place: number) => place % 100 === 0, before: 700, live: 5 };
  if (name.includes('dense 300')) return { ...every, before: 300, live: 5 };
  if (name.includes('sparse 1/50'))
    return { matches: (index: number) => index % 50 === 0, before: 10, live: 2, batch: 300 };
  return fifth;
}

export function checkpointFilter(name: string): ReadReq.Options.FilterOptions {
  const multiplier = Number(/mult=([0-9]+)/.exec(name)?.[1] ?? 1);
  const window = /window=([0-9]+)/.exec(name)?.[1];
  const filter = byType('', 'Wanted').setCheckpointintervalmultiplier(multiplier);
  return window === undefined ? filter.setCount(new Empty()) : filter.setMax(Number(window));
}
