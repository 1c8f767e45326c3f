import { type Difference, lines, REFUSED } from './difference';
import { ANY, type Outcome } from './outcome';

type Told = Readonly<Record<string, Outcome>>;

const CONFIRMED = 'confirmation STREAM::g';
const SHORT_LIVED = 'checkPointAfterMilliseconds=1000';
const ONE_EACH = 'maxCheckPointCount=1 minCheckPointCount=1';

const SENSELESS: Told = {
  'group/second options message': [CONFIRMED, 'STREAM@0:t', '-- append', ...REFUSED],
  'group/ack malformed id': [CONFIRMED, 'STREAM@0:t', '-- append', ...REFUSED],
  'group/read first message is an ack': REFUSED,
  'consumer/subscription with a negative nack reason & unknown action 9/told': [CONFIRMED, 'STREAM@0:t', ...REFUSED],
  'consumer/subscription with a negative nack reason & unknown action 9/in flight': ['0'],
};

const REPLAYED: Told = {
  'consumer/replay with no consumer connected, then connect/info': [
    'lastKnownEventPosition=1 parkedMessageCount=1 retryBufferCount=1 status=Live totalItems=2',
  ],
  'consumer/park 5, replay stopAt 2/replayed in part': ['parkedMessageCount=5 totalInFlightMessages=2'],
  'consumer/park, replay all, delivered again/replayed': ['parkedMessageCount=2 totalInFlightMessages=4'],
};

const RESTARTED: Told = {
  'restart/B created at end, 3 appended, never consumed/info': [
    'eventSource=STREAM groupName=g lastKnownEventPosition=2 readBufferCount=3 startFrom=-1 status=Live',
  ],
  'restart/B created at end, 3 appended, never consumed/told': [CONFIRMED, 'STREAM@0:t', 'STREAM@1:t', 'STREAM@2:t'],
  'restart/E $all filter, 1 of 3 acked/info': [
    `${SHORT_LIVED} eventSource=$all groupName=STREAM lastCheckpointedEventPosition=C:N/P:N lastKnownEventPosition=C:N/P:N ` +
      `${ONE_EACH} readBufferCount=2 startFrom=C:-1/P:-1 status=Live`,
  ],
  'restart/E $all filter, 1 of 3 acked/told': ['confirmation $all::STREAM', 'STREAM@1:t', 'STREAM@2:t'],
  'restart/G 3 acked below min checkpoint/info': [
    'eventSource=STREAM groupName=g lastCheckpointedEventPosition=2 lastKnownEventPosition=4 readBufferCount=2 status=Live',
  ],
  'restart/G 3 acked below min checkpoint/told': [CONFIRMED, 'STREAM@3:t', 'STREAM@4:t'],
  'restart/I tombstoned/told': [CONFIRMED],
};

const inStep =
  (known: Told): Difference['instead'] =>
  (_recorded, { name, step }) =>
    known[`${name}/${step}`] ?? known[name] ?? null;

/** Differences of persistent subscriptions. */
export const GROUP_DIFFERENCES: readonly Difference[] = [
  {
    what: 'Invalid messages of a consumer',
    there: 'an unknown action, an invalid id or a second group are ignored',
    here: 'its call ends with INVALID_ARGUMENT',
    why: 'the sender learns it',
    instead: inStep(SENSELESS),
  },
  {
    what: 'Groups on a stream without a name',
    there: 'no answer',
    here: 'INVALID_ARGUMENT',
    why: 'no client waits in vain',
    instead: (recorded) => (recorded[0] === '4 DEADLINE_EXCEEDED: Deadline exceeded' ? REFUSED : null),
  },
  {
    what: 'Deleting a group on `$all` as one on a stream named so',
    there: 'deleted, and answered with UNKNOWN',
    here: 'deleted',
    why: 'it was asked for',
    instead: (_recorded, { name }) => (name === 'group/delete stream $all by name' ? ['0 OK'] : null),
  },
  {
    what: 'The status of a group',
    there:
      '`OutstandingPageRequest` while a page is read, for ever if the stream is deleted; live events of `$all` include the system’s',
    here: '`Live` or `Behind`; a new log has no events of the system’s',
    why: 'a page is read at once',
    instead: (recorded, { name, step }) =>
      lines(recorded, (line) => {
        const named = line.replace('status=Behind, OutstandingPageRequest', 'status=Live');
        if (step === 'info' && !named.includes('lastKnown') && name === 'group/create $all filter event type empty') {
          return named.replace(' startFrom', ' lastKnownEventPosition=C:N/P:N startFrom');
        }
        return named.includes('readBufferCount=480') ? named.replace(/liveBufferCount=\d+ /, '') : named;
      }),
  },
  {
    what: 'The messages per second of a group',
    there: 'over the last second or so',
    here: 'since the last request',
    why: 'measured only on request',
    instead: (recorded, { name }) =>
      name === 'consumer/getInfo after activity'
        ? lines(recorded, (line) =>
            line.replace(/averagePerSecond=\d+ countSinceLastMeasurement/, `${ANY}countSinceLastMeasurement`),
          )
        : null,
  },
  {
    what: 'Replayed parked messages',
    there: 'leave the parked stream once read; a crash loses them',
    here: 'stay parked until they are done',
    why: 'none is lost',
    instead: inStep(REPLAYED),
  },
  {
    what: 'A message answered with `stop`',
    there: 'is handed out again only after a restart: the checkpoint stays before it for good',
    here: 'is done, as with `skip`',
    why: 'the group would never advance',
    instead: (_recorded, { name, step }) =>
      name.startsWith('consumer/nack stop,') && step === 'checkpoint' ? ['"2"'] : null,
  },
  {
    what: 'Checkpoints of groups',
    there: 'are written again without a change, at once if a filter skips events, and all are kept',
    here: 'are written when they change, and two are kept',
    why: 'the log does not grow for nothing',
    instead(recorded, { name, step }) {
      if (name === 'consumer/checkpoint stream metadata & name' && step === 'metadata') {
        return ['$$$persistentsubscription-STREAM::g-checkpoint@0:$metadata json {"$maxCount":2} | '];
      }
      if (/^group\/create \$all filter (prefix|no window)$/.test(name)) {
        return lines(recorded, (line) => line.replace('lastCheckpointedEventPosition=C:N/P:N ', ''));
      }
      return name === 'consumer/checkpoint min 0 max 0' ? [...new Set(recorded)] : null;
    },
  },
  {
    what: 'Access control lists of groups’ streams',
    there: 'administrators only',
    here: 'none',
    why: 'they are not enforced',
    instead: (recorded, { name }) =>
      name.startsWith('consumer/park,') ? lines(recorded, (line) => line.replace(/,"\$acl":\{[^}]*\}/, '')) : null,
  },
  {
    what: 'Groups after a restart',
    there:
      'one from the end begins at the new end; one with a filter skips what was not done; below the minimum checkpoint count everything comes again; the consumer of a deleted stream is dropped',
    here: 'keep their start, continue after what was done, and keep waiting',
    why: 'none is lost, and none is repeated needlessly',
    instead: inStep(RESTARTED),
  },
  {
    what: 'How groups are stored',
    there: '`$persistentSubscriptionConfig` holds one event with all groups, and keeps two',
    here: 'an event per creation, update or deletion',
    why: 'each is written once',
    instead: (_recorded, { name, step }) =>
      name !== 'restart/setup' ? null : step === 'stored' ? ['$PersistentSubscriptionCreated'] : [ANY],
  },
];
