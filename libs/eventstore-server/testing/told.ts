import { ReadReq, type ReadResp } from '@eventstore/db-client/generated/streams_pb';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import { Empty, StreamIdentifier } from '@eventstore/db-client/generated/shared_pb';
import { credentials, type ServiceError, status } from '@grpc/grpc-js';
import { until } from './followed';

type Options = ReadReq.Options;
const { Options: ReadOptions } = ReadReq;

/** A subscription as it is on the wire: the official client asks for less than the protocol allows. */
export class Told {
  readonly told: string[] = [];
  private readonly call: ReturnType<StreamsClient['read']>;

  /** @param base position before the first event that a checkpoint is counted from; null where events are told by name */
  constructor(
    client: StreamsClient,
    options: Options | undefined,
    private readonly base: bigint | null = null,
  ) {
    this.call = client.read(options === undefined ? new ReadReq() : new ReadReq().setOptions(options));
    this.call.on('data', (message: ReadResp) => this.told.push(this.describe(message)));
    this.call.on('error', ({ code, metadata }: ServiceError) => {
      if (code === status.CANCELLED) return;
      this.told.push(`ERROR ${status[code]} ${String(metadata.get('exception')[0] ?? '-')}`);
    });
  }

  /** Waits for so much, and a moment for what must not come. */
  async has(count: number): Promise<readonly string[]> {
    await until(() => this.told.length >= count);
    await new Promise((resolve) => setTimeout(resolve, 20));
    return this.told;
  }

  end(): void {
    this.call.cancel();
  }

  private describe(message: ReadResp): string {
    if (message.hasConfirmation()) return 'CONFIRMATION';
    if (message.hasCaughtUp()) return 'CAUGHT_UP';
    const checkpoint = message.getCheckpoint();
    if (checkpoint !== undefined) return `CP =${BigInt(checkpoint.getCommitPosition()) - (this.base ?? 0n) - 1n}`;
    const read = message.getEvent();
    const [event, link] = [read?.getEvent(), read?.getLink()];
    if (this.base !== null) return `E${BigInt(event?.getCommitPosition() ?? 0) - this.base - 1n}`;
    const name = (each: typeof event): string => {
      const stream = Buffer.from(each?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();
      return `${stream}@${each?.getStreamRevision()} ${each?.getMetadataMap().get('type')}`;
    };
    const shown = event === undefined ? 'null' : name(event);
    return `E ${shown}${link === undefined ? '' : ` <- ${name(link)}`}`;
  }
}

export function streamsClient(port: number): StreamsClient {
  return new StreamsClient(`127.0.0.1:${port}`, credentials.createInsecure());
}

/** @param from `start`, `end` or a revision */
export function streamOptions(name: string, from: string): Options {
  const stream = new ReadOptions.StreamOptions().setStreamIdentifier(
    new StreamIdentifier().setStreamName(Buffer.from(name)),
  );
  if (from === 'start') stream.setStart(new Empty());
  else if (from === 'end') stream.setEnd(new Empty());
  else stream.setRevision(from);
  return common().setStream(stream).setNoFilter(new Empty());
}

export function allOptions(after: bigint): Options {
  const at = String(after);
  const position = new ReadOptions.Position().setCommitPosition(at).setPreparePosition(at);
  return common().setAll(new ReadOptions.AllOptions().setPosition(position));
}

function common(): Options {
  return new ReadOptions()
    .setSubscription(new ReadOptions.SubscriptionOptions())
    .setResolveLinks(true)
    .setUuidOption(new ReadOptions.UUIDOption().setString(new Empty()))
    .setReadDirection(ReadOptions.ReadDirection.FORWARDS);
}
