import { assert, type Clock } from '@app/kernel';
import { EventStoreDBClient, NotLeaderError, UnavailableError } from '@eventstore/db-client';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import type { BatchAppendReq, BatchAppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb';
import {
  type CallOptions,
  type ClientDuplexStream,
  type ClientReadableStream,
  type Metadata,
  status,
} from '@grpc/grpc-js';
import { widenChannels } from './channel-window';
import { EventStoreDbFailure, failureOf, trailerOf } from './failures';
import { TransportCheck } from './transport-check';

export type ReadCall = ClientReadableStream<ReadResp>;
export type BatchAppendCall = ClientDuplexStream<BatchAppendReq, BatchAppendResp>;
type Call = ReadCall | BatchAppendCall;

/** Asked for by every call: a follower's answer may be older than what this process has been told. */
const LEADER_ONLY = { requiresLeader: true };

/**
 * The official client's connection: it parses the connection string, discovers the cluster's leader, keeps the channel
 * with its TLS, credentials and pings, and connects again, elsewhere if need be. The calls are made here, on the
 * client's own stubs, because its commands can't be made safe from outside: an append has no time-out and may never
 * settle, one connection's failure rejects the appends of every other in the process, data comes back parsed instead of
 * as the bytes that were hashed, and an answer of an unexpected shape ends the process. What is used of the client
 * beyond its public face are four protected members; `open` makes sure that they are there.
 */
export class Connection {
  private readonly calls = new Map<Call, StreamsClient>();
  private channel: { close(): void } | null = null;
  private heardAtMs = -Infinity;
  private isClosed = false;

  private constructor(
    private readonly client: EventStoreDBClient,
    private readonly transport: TransportCheck,
    private readonly clock: Clock,
  ) {}

  /** Connects with the first call. @throws Error when the connection string makes no sense to the client. */
  static open(connectionString: string, clock: Clock): Connection {
    const client = EventStoreDBClient.connectionString(connectionString);
    const members = [client['execute'], client['callArguments'], client['handleError'], client['getChannel']];
    assert(
      members.every((member) => typeof member === 'function'),
      'this version of @eventstore/db-client has the members that calls are made with',
    );
    widenChannels(client);
    return new Connection(client, new TransportCheck(connectionString, clock), clock);
  }

  /** Begins to read. Errors come from the stream. @throws when no node can be found. */
  read(request: ReadReq): Promise<ReadCall> {
    return this.begin((stub, metadata, options) => stub.read(request, metadata, options));
  }

  /** Opens a call that carries any number of appends. Errors come from the stream. @throws when no node can be found. */
  batchAppend(): Promise<BatchAppendCall> {
    return this.begin((stub, metadata, options) => stub.batchAppend(metadata, options));
  }

  /** A message has come: the node is well. */
  heard(): void {
    this.heardAtMs = this.clock.monotonicMs();
    this.transport.heard();
  }

  /** No node was found in time. */
  noneFound(withinMs: number): EventStoreDbFailure {
    this.transport.look();
    return new EventStoreDbFailure('deadline', `No node was found within ${withinMs} ms`);
  }

  /** What keeps it from a node that can be reached; null when that isn't known, or isn't so. */
  get transportProblem(): EventStoreDbFailure | null {
    return this.transport.problem;
  }

  /**
   * Ends a call that got no answer in `ms`. When nothing else was heard in that time either, the node is left to others:
   * the next call looks for one that answers.
   */
  giveUp(call: Call, ms: number): void {
    const stub = this.calls.get(call);
    call.cancel();
    if (stub !== undefined && this.isSilentFor(ms)) this.leave(stub, new UnavailableError());
  }

  /** Whether no message has come for so long, on any call. */
  isSilentFor(ms: number): boolean {
    return this.clock.monotonicMs() - this.heardAtMs >= ms;
  }

  /** Cuts off what is under way. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const call of this.calls.keys()) call.cancel();
    await this.client.dispose();
    this.channel?.close();
  }

  private async begin<C extends Call>(
    start: (stub: StreamsClient, metadata: Metadata, options: CallOptions) => C,
  ): Promise<C> {
    this.assertOpen();
    const stub = await this.stub();
    this.assertOpen();
    this.channel = stub.getChannel();
    const call = start(stub, ...this.client['callArguments'](LEADER_ONLY, { deadline: Infinity }));
    this.calls.set(call, stub);
    call.once('end', () => this.calls.delete(call));
    call.on('error', (error) => {
      this.calls.delete(call);
      this.reconnectAfter(stub, error);
    });
    return call;
  }

  private async stub(): Promise<StreamsClient> {
    try {
      return await this.client['execute'](StreamsClient, 'streams', async (client) => client);
    } catch (error) {
      this.transport.look();
      throw error;
    }
  }

  private reconnectAfter(stub: StreamsClient, error: unknown): void {
    const { reason } = failureOf(error);
    if ((reason !== 'unavailable' && reason !== 'not leader') || isOwnCancellation(error)) return;
    if (reason === 'unavailable') this.transport.look();
    // Told in the client's own errors: it would stumble over an answer that lacks a trailer.
    this.leave(stub, leaderIn(error) ?? new UnavailableError());
  }

  private leave(stub: StreamsClient, why: NotLeaderError | UnavailableError): void {
    if (this.isClosed) return;
    // Fails only when a new connection, which is being made already, fails: whoever waits for that one is told.
    this.client['handleError'](stub, why).catch(() => undefined);
  }

  private assertOpen(): void {
    if (this.isClosed) throw new EventStoreDbFailure('closed', 'The connection is closed');
  }
}

/** The client's not-leader error where the server has told who leads; else null, and discovery has to tell. */
function leaderIn(error: unknown): NotLeaderError | null {
  const [host, port] = [trailerOf(error, 'leader-endpoint-host'), trailerOf(error, 'leader-endpoint-port')];
  if (host === null || port === null) return null;
  return new NotLeaderError(error as ConstructorParameters<typeof NotLeaderError>[0]);
}

function isOwnCancellation(error: unknown): boolean {
  return (
    (error as { code?: unknown } | null)?.code === status.CANCELLED && String(error).includes('Cancelled on client')
  );
}
