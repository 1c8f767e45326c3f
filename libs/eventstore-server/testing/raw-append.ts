import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2';
import { Empty, StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb';
import { AppendReq } from '@eventstore/db-client/generated/streams_pb';

const HEADERS = { 'content-type': 'application/grpc', te: 'trailers' };

/** An Append over raw HTTP/2, so that it can be cut at any byte. */
export class RawAppend {
  private constructor(
    readonly stream: ClientHttp2Stream,
    private readonly messages: readonly Buffer[],
  ) {
    // However the call ends, the log shows its effect.
    stream.on('error', () => undefined);
    stream.resume();
  }

  static begin(
    session: ClientHttp2Session,
    streamName: string,
    events: number,
    headers: Readonly<Record<string, string>> = {},
  ): RawAppend {
    const path = '/event_store.client.streams.Streams/Append';
    const stream = session.request({ ':method': 'POST', ':path': path, ...HEADERS, ...headers }, { endStream: false });
    return new RawAppend(stream, [options(streamName), ...Array.from({ length: events }, (_, n) => proposed(n))]);
  }

  /** Writes whole messages, the options first, and `bytes` of the next one. */
  write(count: number, bytes = 0): void {
    if (this.stream.destroyed) return;
    this.stream.write(Buffer.concat([...this.messages.slice(0, count), this.part(count, bytes)]));
  }

  /** Ends the request. */
  end(): void {
    this.stream.end();
  }

  /** Resolves when the server has answered, or the stream is closed. */
  async over(): Promise<void> {
    const { stream } = this;
    if (!stream.destroyed && !stream.readableEnded) await Promise.race([once(stream, 'end'), once(stream, 'close')]);
    stream.close(constants.NGHTTP2_CANCEL);
  }

  private part(index: number, bytes: number): Buffer {
    return (this.messages[index] ?? Buffer.alloc(0)).subarray(0, bytes);
  }
}

function options(streamName: string): Buffer {
  const name = new StreamIdentifier().setStreamName(Buffer.from(streamName));
  return framed(new AppendReq().setOptions(new AppendReq.Options().setStreamIdentifier(name).setAny(new Empty())));
}

function proposed(number: number): Buffer {
  const message = new AppendReq.ProposedMessage().setId(new UUID().setString(randomUUID()));
  message.getMetadataMap().set('type', 'Proposed').set('content-type', 'application/json');
  return framed(new AppendReq().setProposedMessage(message.setData(Buffer.from(JSON.stringify({ number })))));
}

/** gRPC's frame: not compressed, the length, the message. */
export function framed(message: { serializeBinary(): Uint8Array }): Buffer {
  const bytes = message.serializeBinary();
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.byteLength, 1);
  return Buffer.concat([head, bytes]);
}
