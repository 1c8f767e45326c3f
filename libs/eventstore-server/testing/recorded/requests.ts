import { Empty, StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb';
import {
  AppendReq,
  BatchAppendReq,
  DeleteReq,
  ReadReq,
  TombstoneReq,
} from '@eventstore/db-client/generated/streams_pb';

/** An event as sent: a missing field gets a default value, `null` is not sent. */
export interface Proposed {
  readonly id?: string | UUID | null;
  readonly type?: string | null;
  readonly contentType?: string | null;
  readonly data?: string | Uint8Array;
  readonly metadata?: string | Uint8Array;
}

const MAX_UINT64 = '18446744073709551615';
const REVISIONS: Readonly<Record<string, string>> = {
  'rev2^63': '9223372036854775808',
  revMaxInt64: '9223372036854775807',
  revMaxUint64: MAX_UINT64,
  maxInt64: '9223372036854775807',
  maxUint64: MAX_UINT64,
};

/** `rev2`, `r2`, `revMaxInt64` and so on. */
function revisionOf(word: string): string {
  return REVISIONS[word] ?? word.replace(/^r(ev)?/, '');
}

export function streamIdentifier(name: string | Uint8Array): StreamIdentifier {
  return new StreamIdentifier().setStreamName(typeof name === 'string' ? Buffer.from(name) : name);
}

interface Expecting {
  setAny(nothing: Empty): unknown;
  setNoStream(nothing: Empty): unknown;
  setStreamExists(nothing: Empty): unknown;
}

function expect(options: Expecting, expected: string, setRevision: (revision: string) => unknown): void {
  if (expected === 'any') options.setAny(new Empty());
  else if (expected === 'no_stream') options.setNoStream(new Empty());
  else if (expected === 'stream_exists') options.setStreamExists(new Empty());
  else if (expected !== 'unset') setRevision(revisionOf(expected));
}

export function appendOptions(stream: string | Uint8Array | null, expected: string): AppendReq {
  const options = new AppendReq.Options();
  if (stream !== null) options.setStreamIdentifier(streamIdentifier(stream));
  expect(options, expected, (revision) => options.setRevision(revision));
  return new AppendReq().setOptions(options);
}

export function appendEvent(event: Proposed): AppendReq {
  return new AppendReq().setProposedMessage(filled(new AppendReq.ProposedMessage(), event));
}

export function batchOptions(stream: string | Uint8Array | null, expected: string): BatchAppendReq.Options {
  const options = new BatchAppendReq.Options();
  if (stream !== null) options.setStreamIdentifier(streamIdentifier(stream));
  expect(options, expected, (revision) => options.setStreamPosition(revision));
  return options;
}

export function batchEvent(event: Proposed): BatchAppendReq.ProposedMessage {
  return filled(new BatchAppendReq.ProposedMessage(), event);
}

export function deleteRequest(stream: string, expected: string): DeleteReq {
  const options = new DeleteReq.Options().setStreamIdentifier(streamIdentifier(stream));
  expect(options, expected, (revision) => options.setRevision(revision));
  return new DeleteReq().setOptions(options);
}

export function tombstoneRequest(stream: string, expected: string): TombstoneReq {
  const options = new TombstoneReq.Options().setStreamIdentifier(streamIdentifier(stream));
  expect(options, expected, (revision) => options.setRevision(revision));
  return new TombstoneReq().setOptions(options);
}

export interface Reading {
  readonly stream?: string;
  /** `start`, `end`, `unset`, a revision as `r2`, or a position as `<commit>/<prepare>`. */
  readonly from?: string;
  readonly backwards?: boolean;
  /** Undefined is not sent. */
  readonly count?: string | undefined;
  readonly isSubscription?: boolean;
  readonly compatibility?: number;
  readonly resolveLinks?: boolean;
  readonly filter?: ReadReq.Options.FilterOptions | null;
}

export function readRequest({ stream, from = 'start', count, filter, ...rest }: Reading): ReadReq {
  const options = new ReadReq.Options().setUuidOption(new ReadReq.Options.UUIDOption().setString(new Empty()));
  if (stream !== undefined) {
    const streamOptions = new ReadReq.Options.StreamOptions().setStreamIdentifier(streamIdentifier(stream));
    startAt(streamOptions, from, () => streamOptions.setRevision(revisionOf(from)));
    options.setStream(streamOptions);
  } else {
    const all = new ReadReq.Options.AllOptions();
    startAt(all, from, () => {
      const [commit = '', prepare = ''] = from.split('/');
      all.setPosition(new ReadReq.Options.Position().setCommitPosition(commit).setPreparePosition(prepare));
    });
    options.setAll(all);
  }
  if (rest.backwards === true) options.setReadDirection(ReadReq.Options.ReadDirection.BACKWARDS);
  if (rest.isSubscription === true) options.setSubscription(new ReadReq.Options.SubscriptionOptions());
  else if (count !== undefined) options.setCount(count);
  if (filter === undefined) options.setNoFilter(new Empty());
  else if (filter !== null) options.setFilter(filter);
  if (rest.compatibility !== undefined) {
    options.setControlOption(new ReadReq.Options.ControlOption().setCompatibility(rest.compatibility));
  }
  return new ReadReq().setOptions(options.setResolveLinks(rest.resolveLinks === true));
}

function startAt(options: { setStart(n: Empty): unknown; setEnd(n: Empty): unknown }, from: string, at: () => unknown) {
  if (from === 'start') options.setStart(new Empty());
  else if (from === 'end') options.setEnd(new Empty());
  else if (from !== 'unset') at();
}

interface ProposedMessage {
  setId(id: UUID): unknown;
  setData(data: Uint8Array): unknown;
  setCustomMetadata(metadata: Uint8Array): unknown;
  getMetadataMap(): { set(name: string, value: string): unknown };
}

function filled<M extends ProposedMessage>(message: M, event: Proposed): M {
  const { id = null, type = 'T', contentType = 'application/json', data = '{"n":"0"}', metadata = '' } = event;
  if (id !== null) message.setId(typeof id === 'string' ? new UUID().setString(id) : id);
  if (type !== null) message.getMetadataMap().set('type', type);
  if (contentType !== null) message.getMetadataMap().set('content-type', contentType);
  message.setData(Buffer.from(data));
  message.setCustomMetadata(Buffer.from(metadata));
  return message;
}
