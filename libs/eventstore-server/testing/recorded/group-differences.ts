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

/** Where persistent subscriptions answer otherwise. */
export const GROUP_DIFFERENCES: readonly Difference[] = [
  {
    what: 'What a consumer sends that can’t be meant',
    there: 'an unknown action, an id that is none, or a second group are passed over',
    here: 'its call ends with INVALID_ARGUMENT',
    why: 'the sender learns it',
    instead: inStep(SENSELESS),
  },
  {
    what: 'Groups of a stream without a name',
    there: 'no answer',
    here: 'INVALID_ARGUMENT',
    why: 'nobody waits for nothing',
    instead: (recorded) => (recorded[0] === '4 DEADLINE_EXCEEDED: Deadline exceeded' ? REFUSED : null),
  },
  {
    what: 'Groups of `$all` that are deleted as of a stream of that name',
    there: 'deleted, and answered with UNKNOWN',
    here: 'deleted',
    why: 'it is what was asked for',
    instead: (_recorded, { name }) => (name === 'group/delete stream $all by name' ? ['0 OK'] : null),
  },
  {
    what: 'What a group is told to do',
    there:
      '`OutstandingPageRequest` while a page is read, for ever where the stream is deleted; live events of `$all` are the system’s too',
    here: '`Live` or `Behind`; a new log has no events of the system’s',
    why: 'reading takes no time that could be told',
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
    what: 'How many messages a second a group hands out',
    there: 'since a second ago or so',
    here: 'since somebody last asked',
    why: 'nobody measures for nobody',
    instead: (recorded, { name }) =>
      name === 'consumer/getInfo after activity'
        ? lines(recorded, (line) =>
            line.replace(/averagePerSecond=\d+ countSinceLastMeasurement/, `${ANY}countSinceLastMeasurement`),
          )
        : null,
  },
  {
    what: 'Messages that are handed out again from the parked ones',
    there: 'count as parked no more once they are read; who dies with them loses them',
    here: 'stay parked until they are done',
    why: 'none is lost',
    instead: inStep(REPLAYED),
  },
  {
    what: 'A message answered with `stop`',
    there: 'is not handed out again, but for a restart: the checkpoint stays before it for good',
    here: 'is done, as with `skip`',
    why: 'a group would never come further',
    instead: (_recorded, { name, step }) =>
      name.startsWith('consumer/nack stop,') && step === 'checkpoint' ? ['"2"'] : null,
  },
  {
    what: 'Checkpoints of groups',
    there: 'are written again though nothing has changed, at once where a filter passes events over, and all are kept',
    here: 'are written when there is something new, and two are kept',
    why: 'the log doesn’t grow for nothing',
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
    what: 'Access control lists of the streams that groups write',
    there: 'for administrators alone',
    here: 'none',
    why: 'they are not enforced',
    instead: (recorded, { name }) =>
      name.startsWith('consumer/park,') ? lines(recorded, (line) => line.replace(/,"\$acl":\{[^}]*\}/, '')) : null,
  },
  {
    what: 'Groups after a restart',
    there:
      'one from the end begins at the new end; one with a filter passes over what was not done; below the least count for a checkpoint all comes again; a deleted stream’s consumer is dropped',
    here: 'begin where they began, after what was done, and go on to wait',
    why: 'none is lost, and none is repeated that need not be',
    instead: inStep(RESTARTED),
  },
  {
    what: 'How groups are stored',
    there: '`$persistentSubscriptionConfig` holds one event with all of them, and keeps two',
    here: 'an event for each that is created, updated or deleted',
    why: 'each is written once; another server’s would not be read anyway',
    instead: (_recorded, { name, step }) =>
      name !== 'restart/setup' ? null : step === 'stored' ? ['$PersistentSubscriptionCreated'] : [ANY],
  },
];
