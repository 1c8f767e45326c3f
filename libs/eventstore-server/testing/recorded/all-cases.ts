import { ReadReq } from '@eventstore/db-client/generated/streams_pb';
import { Empty } from '@eventstore/db-client/generated/shared_pb';
import type { Play } from './cases';
import type { Recorder } from './recorder';
import { bringAbout } from './states';

const { FilterOptions } = ReadReq.Options;
type Filter = ReadReq.Options.FilterOptions;

/** The confirmation and four events. */
const LIMIT = 5;

const MAX_UINT64 = '18446744073709551615';
const MAX_INT64 = '9223372036854775807';

/** Six events of the case, the fourth of another type. */
async function given(recorder: Recorder): Promise<bigint[]> {
  const types = ['T', 'T', 'T', 'OtherType', 'T', 'T'];
  const positions: bigint[] = [];
  for (const type of types) {
    const [answer = ''] = await recorder.append(recorder.events(1, { type }), 'any');
    positions.push(BigInt(/P(\d+)/.exec(answer)?.[1] ?? 0));
  }
  return positions;
}

function positionOf(what: string, [, , , fourth = 0n, , last = 0n]: readonly bigint[]): string {
  const beyond = last + 1_000_000_000n;
  const known: Readonly<Record<string, string>> = {
    '2^63': '9223372036854775808/9223372036854775808',
    int64max: `${MAX_INT64}/${MAX_INT64}`,
    'prepare > commit': `${fourth}/${last}`,
    'commit > prepare': `${fourth + 1n}/${fourth}`,
    'max/0': `${MAX_UINT64}/0`,
    '0/max': `0/${MAX_UINT64}`,
    'far beyond': `${beyond}/${beyond}`,
  };
  return known[what] ?? what;
}

/** `all / direction what`: without a filter, showing the case's own events only, and with one. */
export const allReads: Play = async (recorder, parts) => {
  const [, direction = '', what = ''] = /^(\w+) (?:from )?(.*)$/.exec(parts.slice(1).join('/')) ?? [];
  const backwards = direction === 'Backwards';
  const positions = await given(recorder);
  const filter = recorder.ownStream();
  const own = async (from: string) => {
    const [first = '', ...rest] = await recorder.read({ from, backwards, count: '100000' });
    return [first, ...rest].filter((line, index, all) => line.includes(recorder.stream) || index === all.length - 1);
  };
  if (what.startsWith('filter: ')) {
    const filtered = oddFilter(what.slice('filter: '.length), recorder);
    recorder.note('r', await recorder.read({ filter: filtered, backwards, from: beginning(backwards), count: '100' }));
    return;
  }
  if (what === 'start, end, unset') {
    for (const from of ['start', 'end', 'unset']) recorder.note(from, await own(from));
  } else if (what === 'filtered count 0') {
    recorder.note('r', await recorder.read({ filter, backwards, from: beginning(backwards), count: '0' }));
  } else if (what === 'unfiltered count 0') {
    recorder.note('r', await recorder.read({ backwards, from: beginning(backwards), count: '0' }));
  } else if (what === 'position between events') {
    const between = (positions[3] ?? 0n) + 1n;
    recorder.note('r', await recorder.read({ filter, backwards, from: `${between}/${between}`, count: '100' }));
  } else if (what.startsWith('position commit of one')) {
    const [third, fourth] = backwards ? positions.slice(1) : positions.slice(2);
    recorder.note('a', await recorder.read({ filter, backwards, from: `${fourth}/${third}`, count: '100' }));
    recorder.note('b', await recorder.read({ filter, backwards, from: `${third}/${fourth}`, count: '100' }));
  } else {
    const from = positionOf(what.replace('position ', ''), positions);
    recorder.note('r', await own(from));
    recorder.note('filtered', await recorder.read({ filter, backwards, from, count: '100' }));
  }
};

function beginning(backwards: boolean): string {
  return backwards ? 'end' : 'start';
}

/** `all subscription / filter: what`: from the case's first event. */
export const filteredSubscriptions: Play = async (recorder, parts) => {
  const positions = await given(recorder);
  const filter = oddFilter(parts.slice(1).join('/').replace('filter: ', ''), recorder);
  const from = `${positions[0]}/${positions[0]}`;
  await recorder.subscription('r', { filter, from }, LIMIT);
};

function oddFilter(what: string, recorder: Recorder): Filter {
  const { stream } = recorder;
  const expression = (prefixes: readonly string[], regex = '') =>
    new FilterOptions.Expression().setPrefixList([...prefixes]).setRegex(regex);
  const byStream = (regex: string) => window().setStreamIdentifier(expression([], regex));
  switch (what) {
    case 'type prefix':
      return window().setEventType(expression(['Other']));
    case 'regex and prefix':
      return window().setStreamIdentifier(expression(['nothing'], `^${stream}`));
    case 'invalid regex':
      return byStream('(');
    case 'invalid regex [':
      return byStream('[');
    case 'dotnet regex (?i)':
      return byStream(`(?i)^${stream.toLowerCase()}`);
    case 'dotnet regex \\A':
      return byStream(`\\A${stream}`);
    case 'dotnet named group (?<n>)':
      return byStream(`^(?<n>${stream})`);
    case 'dotnet atomic (?>)':
      return byStream(`^(?>${stream})`);
    case 'dotnet inline (?i:)':
      return byStream(`^(?i:${stream.toLowerCase()})`);
    case 'window 0':
      return recorder.ownStream().setMax(0);
    case 'window uint32 max':
      return recorder.ownStream().setMax(4_294_967_295);
    case 'window count':
      return withoutWindow(recorder.ownStream()).setCount(new Empty());
    case 'window unset':
      return withoutWindow(recorder.ownStream());
    case 'multiplier 0':
      return recorder.ownStream().setCheckpointintervalmultiplier(0);
    case 'empty prefix list':
      return window().setStreamIdentifier(expression([]));
    case 'empty filter':
      return new FilterOptions();
    case 'no filter inside':
      return window();
  }
  return recorder.ownStream();
}

function window(): Filter {
  return new FilterOptions().setMax(32).setCheckpointintervalmultiplier(1);
}

function withoutWindow(filter: Filter): Filter {
  filter.clearMax();
  return filter;
}

/** `subscribe / state / from where`, and to $all from positions that do not exist. */
export const subscriptions: Play = async (recorder, [, state = '', where = '']) => {
  const from = where.replace('from ', '');
  if (state.startsWith('$all')) {
    const position = positionOf(state.replace('$all from position ', ''), await given(recorder));
    return recorder.subscription('r', { from: position });
  }
  await bringAbout(state, recorder);
  await recorder.subscription('r', { stream: recorder.stream, from });
};
