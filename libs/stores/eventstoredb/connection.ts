import { assert, type Clock } from '@app/event-sourcing';
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

/** Sent with every call: a follower's answer may be older than what this process has seen. */
const LEADER_ONLY = { requiresLeader: true };

/**
 * The official client's connection: it parses the connection string, finds the cluster's leader, keeps the channel with
 * TLS, credentials and pings, and reconnects, to another node if need be.
 *
 * The calls are made here on the client's stubs, because its commands are not safe: an append has no time-out and may
 * never settle, one connection's failure rejects the appends of all others in the process, data arrives parsed instead
 * of as the hashed bytes, and an unexpected answer ends the process. Four protected members of the client are used;
 * `open` checks that they exist.
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

  /** Connects with the first call. @throws Error when the client rejects the connection string. */
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

  /** Starts a read. Errors come from the stream. @throws when no node can be found. */
  read(request: ReadReq): Promise<ReadCall> {
    return this.begin((stub, metadata, options) => stub.read(request, metadata, options));
  }

  /**
   * Opens a call that carries any number of appends. Errors come from the stream. @throws when no node can be found.
   */
  batchAppend(): Promise<BatchAppendCall> {
    return this.begin((stub, metadata, options) => stub.batchAppend(metadata, options));
  }

  /** Records that a message arrived, so the node is alive. */
  heard(): void {
    this.heardAtMs = this.clock.monotonicMs();
    this.transport.heard();
  }

  /** The failure when no node was found in time; also starts a check of why. */
  noneFound(withinMs: number): EventStoreDbFailure {
    this.transport.look();
    return new EventStoreDbFailure('deadline', `No node was found within ${withinMs} ms`);
  }

  /** Why a reachable node cannot be used; null if unknown or no such reason. */
  get transportProblem(): EventStoreDbFailure | null {
    return this.transport.problem;
  }

  /**
   * Ends a call that got no answer in `ms`. If nothing else arrived in that time either, the node is dropped: the next
   * call looks for another one.
   */
  giveUp(call: Call, ms: number): void {
    const stub = this.calls.get(call);
    call.cancel();
    if (stub !== undefined && this.isSilentFor(ms)) this.leave(stub, new UnavailableError());
  }

  /** Whether no message has arrived for this long, on any call. */
  isSilentFor(ms: number): boolean {
    return this.clock.monotonicMs() - this.heardAtMs >= ms;
  }

  /** Cuts off all calls. */
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
    // Passed on as the client's own errors: its conversion fails on an answer without a trailer.
    this.leave(stub, leaderIn(error) ?? new UnavailableError());
  }

  private leave(stub: StreamsClient, why: NotLeaderError | UnavailableError): void {
    if (this.isClosed) return;
    // Rejects only if the reconnection in progress fails; then its waiters get the error.
    this.client['handleError'](stub, why).catch(() => undefined);
  }

  private assertOpen(): void {
    if (this.isClosed) throw new EventStoreDbFailure('closed', 'The connection is closed');
  }
}

/** The client's not-leader error if the server named the leader; otherwise null, and discovery finds it. */
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
