import { type Difference, lines, REFUSED } from './difference';
import { GROUP_DIFFERENCES } from './group-differences';
import { HTTP1_DIFFERENCES } from './http1-differences';
import { ANY, type Outcome } from './outcome';
import { PROJECTION_DIFFERENCES } from './projection-differences';
import { SUBSCRIPTION_DIFFERENCES } from './subscription-differences';

const CRASHED = '2 UNKNOWN: Exception was thrown by handler.';
const NOT_THERE = [`12 UNIMPLEMENTED: The server does not implement the method ${ANY}`];
const DELETED =
  "9 FAILED_PRECONDITION: Event stream 'STREAM' is deleted. {exception: stream-deleted, stream-name: STREAM}";
const SIX = ['STREAM@0:T', 'STREAM@1:T', 'STREAM@2:T', 'STREAM@3:OtherType', 'STREAM@4:T', 'STREAM@5:T'];

/** Specific ones first: the general ones apply to the rest. */
export const DIFFERENCES: readonly Difference[] = [
  {
    what: 'Names `$all`, `$$` and their own metadata',
    there: 'can be written and deleted, even tombstoned; no reader finds what is written',
    here: 'INVALID_ARGUMENT',
    why: 'always a mistake',
    instead(_recorded, { name, step }) {
      if (name === 'stream name/$all') return refusedAll(step);
      if (!/^(delete|tombstone)\/stream name '\$(all|\$)'$/.test(name)) return null;
      const stream = name.includes('$all') ? '$all' : '$$';
      if (step === 'read' && name.startsWith('tombstone')) {
        return [`streamNotFound(streamIdentifier(streamName=${stream}))`, '0 OK'];
      }
      return step === 'read' ? null : REFUSED;
    },
  },
  {
    what: 'Names that are not UTF-8',
    there: 'each wrong byte becomes U+FFFD, so several names are one stream',
    here: 'INVALID_ARGUMENT',
    why: 'streams would be confused',
    instead(_recorded, { name, step }) {
      if (!name.startsWith('stream name/invalid UTF-8')) return null;
      if (step === 'read') return [`streamNotFound(streamIdentifier(streamName=STREAM��))`, '0 OK'];
      if (!name.endsWith('batch')) return REFUSED;
      return [`<id>: INVALID_ARGUMENT BadRequest BadRequest(message=${ANY}) streamIdentifier(streamName=hex:${ANY})`];
    },
  },
  {
    what: 'Errors about names beyond ASCII',
    there: 'HTTP 500, because trailers are ASCII',
    here: 'the error; in its trailers the name is percent-encoded',
    why: 'a client learns what is wrong',
    instead(recorded, { name }) {
      if (!recorded.includes('2 UNKNOWN: Received HTTP status code 500')) return null;
      const [shown, trailer] = name.includes('newline')
        ? ['STREAM\nx', 'STREAM%0Ax']
        : ['STREAM-ümlaut-日本語-🎉', 'STREAM-%C3%BCmlaut-%E6%97%A5%E6%9C%AC%E8%AA%9E-%F0%9F%8E%89'];
      return [DELETED.replace('STREAM', shown ?? '').replace('name: STREAM', `name: ${trailer}`)];
    },
  },
  {
    what: 'A re-send of an append with one id twice',
    there: 'answered with the place of the first of the two',
    here: 'the same answer as the first time',
    why: 'a re-send asks for the first answer',
    instead(_recorded, { name, step }) {
      if (name !== 'idempotent/same id twice in one append/expect any' || step === 'read') return null;
      return ['success(currentRevision=1 position(P1))', '0 OK'];
    },
  },
  {
    what: 'A re-send of events since truncated or deleted',
    there: 'success without a position',
    here: 'success with the position',
    why: 'the position is known',
    instead: (recorded) => lines(recorded, (line) => line.replace('noPosition', 'position(P1)')),
  },
  {
    what: 'More than 16 MiB in one BatchAppend message',
    there: 'the call ends with every append in progress on it',
    here: 'up to 17 MiB, only that append is refused as too large',
    why: 'the others continue',
    instead(_recorded, { name, step }) {
      if (name !== 'size/17 MB in 17/batch' || step !== 'r') return null;
      const details = 'MaximumAppendSizeExceeded(maxappendsize=1048576)';
      const said = 'INVALID_ARGUMENT MaximumAppendSizeExceeded';
      return [`<id>: ${said} ${details} streamIdentifier(streamName=STREAM)`];
    },
  },
  {
    what: 'A forward read from the end, or of zero events',
    there: 'UNKNOWN, "Unexpected ReadStreamResult: Error", or no answer for `$all`',
    here: 'no events, or the stream’s error',
    why: 'the request is valid',
    instead(recorded, { name, step }) {
      if (/^all\/\w+ (un)?filtered count 0$/.test(name)) return ['0 OK'];
      if (!recorded.includes('2 UNKNOWN: Unexpected ReadStreamResult: Error')) return null;
      const state = name.split('/')[1] ?? '';
      if (state.startsWith('tomb')) return [DELETED];
      if (['none', 'soft', 'metaOnly', 'softFresh'].includes(state)) {
        return ['streamNotFound(streamIdentifier(streamName=STREAM))', '0 OK'];
      }
      const tells = step !== 'r' && !name.includes('count 0');
      return tells ? [`firstStreamPosition=${ANY}`, `lastStreamPosition=${ANY}`, '0 OK'] : ['0 OK'];
    },
  },
  {
    what: 'Positions',
    there: 'byte offsets in the log; one that is no event’s is UNKNOWN, "Unexpected ReadAllResult: Error"',
    here: 'count events from 1, commit equal to prepare; others are INVALID_ARGUMENT, except one beyond the end',
    why: 'another log: treat them as opaque',
    instead(recorded, { name, step }) {
      if (name === 'all/Forwards from position 1/1') return [...SIX, '0 OK'];
      if (name === 'all/Forwards position between events') return [...SIX.slice(4), '0 OK'];
      if (name === 'all/Backwards position between events') return [...SIX.slice(0, 4).reverse(), '0 OK'];
      if (name === 'following $all/position prepare 0') return REFUSED;
      if (name.startsWith('group/create $all filter')) {
        const whole = lines(recorded, (line) => line.replace('C:N/P:0', 'C:N/P:N'));
        if (whole !== null) return whole;
      }
      if (name === 'group/create $all position commit>prepare') {
        return step === 'info'
          ? []
          : [`13 INTERNAL: ${ANY}'Invalid Start From position: 2 is none of this log.'${ANY}`];
      }
      if (name.includes('position commit of one event') && step === 'a') return REFUSED;
      return recorded.some((line) => /Unexpected (Filtered)?ReadAllResult: Error/.test(line)) ? REFUSED : null;
    },
  },
  {
    what: 'A filter with a search window of 0 or 4,294,967,295, or a read without a UUID option',
    there: 'no answer',
    here: 'carried out; ids are strings',
    why: 'no client waits in vain',
    instead(_recorded, { name }) {
      if (name === 'read/stream without uuid option') return ['STREAM@0:T', 'STREAM@1:T', 'STREAM@2:T', '0 OK'];
      if (/^all\/Forwards filter: window (0|uint32 max)$/.test(name)) return [...SIX, '0 OK'];
      return /^all\/Backwards filter: window (0|uint32 max)$/.test(name) ? [...SIX.toReversed(), '0 OK'] : null;
    },
  },
  {
    what: 'A BatchAppend ended by its client',
    there: 'sometimes stays open for ever',
    here: 'ends once everything is answered',
    why: 'no client waits in vain',
    instead: (recorded, { name }) =>
      /^batch call\/(half-close|10 final)/.test(name)
        ? lines(recorded, (line) => line.replace('no answer', '0 OK'))
        : null,
  },
  {
    what: 'Answers of BatchAppend',
    there: 'a refused append may be answered a second time, as timed out, with the correlation id in another form',
    here: 'each append is answered once, with its correlation id as sent, and names the stream',
    why: 'the official client loses appends whose answers it cannot match',
    instead(recorded) {
      const once = recorded.length > 1 ? recorded.filter((line) => !line.startsWith('structured <id>')) : recorded;
      const named = once.map((line) => line.replace('structured <id>', '<id>').replace(/\) $/, ') streamIdentifier'));
      return named.join('\n') === recorded.join('\n') ? null : named;
    },
  },
  {
    what: 'User management',
    there: 'no answer if the server is insecure',
    here: 'UNIMPLEMENTED',
    why: 'there are no users',
    instead: (_recorded, { name }) => (name.startsWith('users/') ? NOT_THERE : null),
  },
  {
    what: 'Scavenging, remote shutdown, redaction',
    there: 'carried out, the last if enabled',
    here: 'UNIMPLEMENTED',
    why: 'the log keeps every event; whoever started the server stops it',
    instead: (_recorded, { name }) => (/^(ops\/(StartScavenge|Shutdown)|redaction\/)/.test(name) ? NOT_THERE : null),
  },
  {
    what: 'Statistics',
    there: 'of its queues; none with a period of 0, or with metadata',
    here: 'a few of the process; a period of 0 is INVALID_ARGUMENT',
    why: 'there are no such queues',
    instead(_recorded, { name }) {
      if (name === 'monitoring/stats with metadata') return ['1 messages', 'goes on'];
      return name === 'monitoring/stats period 0' ? ['0 messages', REFUSED[0] ?? ''] : null;
    },
  },
  {
    what: 'Malformed gRPC requests',
    there: 'an HTTP status, or .NET’s message',
    here: 'a gRPC status with grpc-js’s message; the content type grpc-web is taken for gRPC',
    why: 'another gRPC library',
    instead: (_recorded, { name }) => RAW[name.replace('raw http2/', '')] ?? null,
  },
  ...SUBSCRIPTION_DIFFERENCES,
  ...GROUP_DIFFERENCES,
  ...PROJECTION_DIFFERENCES,
  ...HTTP1_DIFFERENCES,
  {
    what: 'Incomplete or impossible requests',
    there: 'UNKNOWN, "Exception was thrown by handler."',
    here: 'INVALID_ARGUMENT with the fault',
    why: 'the sender learns it',
    instead: (recorded) => (recorded[0] === CRASHED ? [...REFUSED, ...recorded.slice(1)] : null),
  },
  {
    what: 'Messages of INVALID_ARGUMENT and BadRequest',
    there: 'name .NET’s types and exceptions',
    here: 'name the fault in the request',
    why: 'clients use the status',
    instead: (recorded) =>
      lines(recorded, (line) =>
        line
          .replace(/(BadRequest\(message=).*(\)(?: streamIdentifier.*)?)$/, `$1${ANY}$2`)
          .replace(
            /^3 INVALID_ARGUMENT: ('.*' is not a valid EventStore.Client|The combination of ).*$/,
            REFUSED[0] ?? '',
          ),
      ),
  },
];

function refusedAll(step: string): Outcome {
  if (step === 'read') return ['streamNotFound(streamIdentifier(streamName=$all))', '0 OK'];
  if (step !== 'batch') return REFUSED;
  return [`<id>: INVALID_ARGUMENT BadRequest BadRequest(message=${ANY}) streamIdentifier(streamName=$all)`];
}

const FAILED = (code: number, message = ANY) => [`:status=200 grpc-status=${code} grpc-message=${message}`, 'nothing'];

const RAW: Readonly<Record<string, Outcome>> = {
  'unknown method': FAILED(12),
  'unknown service': FAILED(12),
  'path without method': FAILED(12),
  reflection: FAILED(12),
  'content-type grpc-web': [':status=200', 'trailers grpc-status=0', 'a message'],
  'compressed flag, no encoding': FAILED(13),
  'grpc-encoding gzip, garbage': FAILED(13),
  'malformed protobuf unary': FAILED(13),
  'malformed protobuf append': FAILED(13),
  'two frames to unary': FAILED(12),
  'grpc-timeout garbage': FAILED(13),
  GET: FAILED(12),
  'GET /': [':status=415', 'nothing'],
  'GET /health/live': [':status=415', 'nothing'],
  'POST /streams/x over HTTP/2': [':status=415', 'nothing'],
};
