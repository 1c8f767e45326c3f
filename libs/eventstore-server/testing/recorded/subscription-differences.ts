import { type Difference, lines, REFUSED } from './difference';
import { ANY, type Outcome } from './outcome';

const CONFIRMED = 'confirmation(subscriptionId=<other id>)';
const SIX = ['STREAM@0:T', 'STREAM@1:T', 'STREAM@2:T', 'STREAM@3:OtherType', 'STREAM@4:T', 'STREAM@5:T'];

const FILTERS: Readonly<Record<string, Outcome>> = {
  'all/Forwards filter: dotnet atomic (?>)': REFUSED,
  'all/Backwards filter: dotnet atomic (?>)': REFUSED,
  'all subscription/filter: dotnet atomic (?>)': REFUSED,
  'all subscription/filter: window 0': [
    ...[CONFIRMED, 'STREAM@1:T', 'checkpoint(P1)', 'STREAM@2:T', 'checkpoint(P2)', 'goes on'],
  ],
  'all subscription/filter: window uint32 max': [CONFIRMED, ...SIX.slice(1, 5), 'goes on'],
  'following $all/window max=0': [
    'confirmation',
    ...Array.from({ length: 20 }, (_, n) => (n % 5 === 0 ? [`E${n}`, `CP =${n}`] : [`CP =${n}`])).flat(),
    ...['caughtUp', '-- live', 'E20', 'CP =20', 'CP =21', 'CP =22'],
  ],
  'following $all/window max=4294967295': ['confirmation', 'E0', 'E5', 'E10', 'E15', 'caughtUp', '-- live', 'E20'],
};

/** The number of events for a slow follower. */
const BURSTS: Readonly<Record<string, number>> = {
  'following a stream/slow consumer: 100 live events of 50 KB': 100,
  'following a stream/slow consumer: 400 live events of 20 KB': 400,
  'following a stream/slow consumer: 2000 live small': 2_000,
  'following a stream/CAUGHT_UP count during live: one append of 600 (stream)': 600,
  'following $all/slow consumer of $all: 1500 live events of 5 KB': 1_500,
  'following $all/one live append of 600, stream': 601,
};

/** Differences of catch-up subscriptions. */
export const SUBSCRIPTION_DIFFERENCES: readonly Difference[] = [
  {
    what: 'A subscription to a stream that does not exist',
    there: 'never reports caught up, and of a tombstone only that the stream is deleted',
    here: 'reports caught up, then the tombstone',
    why: 'clients that wait for it can continue',
    instead(recorded, { name }) {
      if (name === 'db-client/subscribe nonexistent') return ['confirmation', 'caughtUp'];
      if (name.startsWith('subscribe/')) {
        const isSilent = recorded.length === 2 && recorded[1] === 'goes on';
        return isSilent ? [recorded[0] ?? '', 'caughtUp', 'goes on'] : null;
      }
      if (!name.startsWith('following a stream/') || !/^-- (recreate|delete|tombstone)$/.test(recorded[1] ?? ''))
        return null;
      const [confirmed = '', done = '', ...rest] = recorded.filter((line) => line !== 'caughtUp');
      const ended = done === '-- tombstone' ? ['STREAM@9223372036854775807:$streamDeleted'] : [];
      return [confirmed, 'caughtUp', done, ...ended, ...rest];
    },
  },
  {
    what: 'Slow subscribers',
    there: 'are cut off: ABORTED, "Consumer too slow to handle event while live."',
    here: 'read on from the log, and are told "caught up" again',
    why: 'nothing is missed',
    instead: (_recorded, { name }) =>
      BURSTS[name] === undefined ? null : [`${BURSTS[name]} events in order`, `${ANY} caughtUp`, 'goes on'],
  },
  {
    what: 'The prepare position of a checkpoint',
    there: '0 if nothing matched',
    here: 'the commit position',
    why: 'commit and prepare are one number',
    instead: (recorded) => lines(recorded, (line) => line.replace(' (prepare 0)', '')),
  },
  {
    what: 'Filters',
    there: 'atomic groups work; with a window of 0 or 2^32 − 1 nothing more comes',
    here: 'atomic groups are refused by name; matches are delivered',
    why: 'a filter matches in linear time',
    instead: (recorded, { name }) =>
      name.startsWith('regular expressions/')
        ? recorded.filter((source) => !source.includes('(?>'))
        : (FILTERS[name] ?? null),
  },
  {
    what: 'The highest revision or position',
    there: 'UNKNOWN, or taken as it is',
    here: 'the end',
    why: 'clients mean the end',
    instead(recorded, { name, step }) {
      if (name === 'following a stream/from revision 9223372036854775807')
        return ['confirmation', 'caughtUp', '-- live'];
      if (name === 'following $all/position mark -1') return ['confirmation', 'caughtUp'];
      if (name === 'group/create stream from 9223372036854775807') {
        return lines(recorded, (line) => line.replace(/startFrom=\d+/, 'startFrom=-1'));
      }
      if (name !== 'group/update revision overflow') return null;
      return step === 'info' ? ['eventSource=STREAM groupName=g startFrom=-1 status=Live'] : ['0 OK'];
    },
  },
];
