import { DELETION, type EventFilter, type ReadStreamOptions, type RecordedEvent } from '@app/event-sourcing';
import { Empty } from '@eventstore/db-client/generated/shared_pb';
import { ReadReq, type ReadResp } from '@eventstore/db-client/generated/streams_pb';
import { streamIdentifier } from './append-messages';
import { deletionIn, METADATA_PREFIX } from './deletions';

/** The count with which the official client requests everything. */
const EVERYTHING = String(Number.MAX_SAFE_INTEGER);
const DIRECTIONS = { forwards: 0, backwards: 1 } as const;
/** The prefix of the store's own streams and event types. */
const SYSTEM = '$';

/** The stream's events from a revision on, or from its start or end. */
export function streamRequest(
  streamName: string,
  { direction = 'forwards', from, maxCount }: ReadStreamOptions,
): ReadReq {
  const stream = new ReadReq.Options.StreamOptions().setStreamIdentifier(streamIdentifier(streamName));
  if (from !== undefined) stream.setRevision(String(from));
  else if (direction === 'forwards') stream.setStart(new Empty());
  else stream.setEnd(new Empty());
  const options = commonOptions()
    .setStream(stream)
    .setReadDirection(DIRECTIONS[direction])
    .setCount(maxCount === undefined || maxCount > Number.MAX_SAFE_INTEGER ? EVERYTHING : String(maxCount))
    .setNoFilter(new Empty());
  return new ReadReq().setOptions(options);
}

/** The last event of the whole log. */
export function headRequest(): ReadReq {
  const options = commonOptions()
    .setAll(new ReadReq.Options.AllOptions().setEnd(new Empty()))
    .setReadDirection(DIRECTIONS.backwards)
    .setCount('1')
    .setNoFilter(new Empty());
  return new ReadReq().setOptions(options);
}

/** What a subscription requests from the server. */
export interface SubscriptionRequest {
  /** The position of an event; null for the log's start. */
  readonly after: bigint | null;
  readonly filter: StoreFilter;
  /** After how many events, wanted or not, the server sends a checkpoint. */
  readonly window: number;
}

export function subscriptionRequest({ after, filter, window }: SubscriptionRequest): ReadReq {
  const all = new ReadReq.Options.AllOptions();
  if (after === null) all.setStart(new Empty());
  else {
    // Commit and prepare position differ only for explicit transactions, which no longer exist.
    const text = String(after);
    all.setPosition(new ReadReq.Options.Position().setCommitPosition(text).setPreparePosition(text));
  }
  const options = commonOptions()
    .setAll(all)
    .setSubscription(new ReadReq.Options.SubscriptionOptions())
    .setFilter(filter.options().setMax(window).setCheckpointintervalmultiplier(1));
  return new ReadReq().setOptions(options);
}

function commonOptions(): ReadReq.Options {
  const ids = new ReadReq.Options.UUIDOption().setString(new Empty());
  return new ReadReq.Options().setResolveLinks(false).setUuidOption(ids);
}

/**
 * Translates the port's event filter into the store's. The server accepts only one kind: stream names, so that other
 * installations' events are not sent, or types if any stream matches. The other kind is checked here. Without types,
 * deletions are included.
 */
export class StoreFilter {
  private readonly names: readonly string[];
  private readonly types: ReadonlySet<string> | null;

  constructor({ streamPrefixes, types }: EventFilter, streamPrefix: string) {
    this.names = streamPrefixes.map((prefix) => streamPrefix + prefix);
    this.types = types === undefined ? null : new Set(types);
  }

  options(): ReadReq.Options.FilterOptions {
    const expression = new ReadReq.Options.FilterOptions.Expression();
    const options = new ReadReq.Options.FilterOptions();
    if (!this.names.includes('')) {
      const metadata = this.types === null ? this.names.map((name) => METADATA_PREFIX + name) : [];
      return options.setStreamIdentifier(expression.setPrefixList([...this.names, ...metadata]));
    }
    if (this.types !== null && this.types.size > 0) {
      return options.setEventType(expression.setPrefixList([...this.types]));
    }
    return options.setStreamIdentifier(expression.setRegex(`^(\\$\\$)?[^\\$]`));
  }

  /** The event as the port returns it, or the deletion it reports; null if it is not wanted. */
  wanted(event: RecordedEvent): RecordedEvent | null {
    const told = deletionIn(event) ?? event;
    return this.matches(told) ? told : null;
  }

  matches({ streamId, type }: RecordedEvent): boolean {
    if (streamId.startsWith(SYSTEM) || (type.startsWith(SYSTEM) && type !== DELETION)) return false;
    return (this.types?.has(type) ?? true) && this.names.some((name) => streamId.startsWith(name));
  }
}

/** The event of a message, under the stream's name in the store; null if there is none. */
export function eventIn(response: ReadResp): RecordedEvent | null {
  const read = response.getEvent();
  const event = read?.getEvent() ?? read?.getLink();
  if (read === undefined || event === undefined) return null;
  return {
    id: event.getId()?.getString() ?? '',
    type: event.getMetadataMap().get('type') ?? '',
    data: text(event.getData_asU8()),
    metadata: text(event.getCustomMetadata_asU8()),
    streamId: text(event.getStreamIdentifier()?.getStreamName_asU8() ?? new Uint8Array()),
    revision: Number(event.getStreamRevision()),
    position: BigInt(read.hasCommitPosition() ? read.getCommitPosition() : event.getCommitPosition()),
  };
}

/** The size of the data of a message's event. */
export function dataBytes(response: ReadResp): number {
  const read = response.getEvent();
  return (read?.getEvent() ?? read?.getLink())?.getData_asU8().length ?? 0;
}

/** The position up to which the server has considered the log; null if the message has none to resume from. */
export function checkpointIn(response: ReadResp): bigint | null {
  const checkpoint = response.getCheckpoint();
  if (checkpoint === undefined || checkpoint.getCommitPosition() !== checkpoint.getPreparePosition()) return null;
  return BigInt(checkpoint.getCommitPosition());
}

/** The exact bytes: no byte order mark is dropped. */
function text({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}
