import type { Clock, Random } from '@app/event-sourcing';
import type { EventLog } from '@app/stores/sqlite';
import { logVerbosity, Server, ServerCredentials, setLogVerbosity } from '@grpc/grpc-js';
import { basicAuthentication, type Credentials } from './authentication';
import type { ProtocolService, Report, ServerContext } from './context';
import { httpApi } from './http/http-api';
import { SharedPort } from './http/shared-port';
import { PersistentSubscriptions } from './persistent-subscriptions/persistent-subscriptions';
import { Projections } from './projections/projections';
import { gossipService } from './services/gossip';
import { monitoringService } from './services/monitoring';
import { operationsService } from './services/operations';
import { persistentSubscriptionsService } from './services/persistent-subscriptions';
import { projectionsService } from './services/projections';
import { withRefusals } from './services/refused';
import { serverFeaturesService } from './services/server-features';
import { streamsService } from './services/streams';
import { wholeRequests } from './whole-requests';

export interface EventStoreServerOptions {
  /** The caller closes it, after the server. */
  readonly log: EventLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly report: Report;
  /** A name or an address. Default: loopback. */
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** PEM. Without it there is no TLS. */
  readonly tls?: { readonly certificate: Buffer; readonly privateKey: Buffer } | undefined;
  /** Required of every client; only with TLS, since clients send none without it. */
  readonly credentials?: Credentials | undefined;
  /** The limit for the data in one append, in bytes. Default: 1 MiB, as in EventStoreDB. */
  readonly maxAppendBytes?: number;
}

const DEFAULT_MAX_APPEND_BYTES = 1_048_576;
/** The maximum size of one message. Beyond it the whole call fails, so it is far above the limit of an append. */
const MAX_RECEIVE_BYTES = 17 * 1024 * 1024;
const MAX_CONCURRENT_STREAMS = 1_000;
/** A client silent for this long is pinged, in ms. */
const KEEPALIVE_MS = 10_000;

// grpc-js's own lines on standard error would mix with the log's; its errors contain the same information.
setLogVerbosity(logVerbosity.NONE);

/** Serves the log over EventStoreDB's gRPC protocol. */
export class EventStoreServer {
  private constructor(
    private readonly server: Server,
    private readonly listening: SharedPort,
    private readonly stopping: AbortController,
    private readonly projections: Projections,
    private readonly subscriptions: PersistentSubscriptions,
  ) {}

  /** Where it listens. */
  get port(): number {
    return this.listening.port;
  }

  /** @throws Error if it cannot listen there. */
  static async start(options: EventStoreServerOptions): Promise<EventStoreServer> {
    const { tls, credentials, log, clock, random, report, maxAppendBytes = DEFAULT_MAX_APPEND_BYTES } = options;
    const stopping = new AbortController();
    const context: ServerContext = { log, clock, random, report, stopping: stopping.signal, maxAppendBytes };
    const server = new Server({
      'grpc.max_receive_message_length': MAX_RECEIVE_BYTES,
      'grpc.max_send_message_length': -1,
      'grpc.max_concurrent_streams': MAX_CONCURRENT_STREAMS,
      'grpc.keepalive_time_ms': KEEPALIVE_MS,
      'grpc.keepalive_timeout_ms': KEEPALIVE_MS,
      interceptors: [wholeRequests, ...(credentials === undefined ? [] : [basicAuthentication(credentials)])],
    });
    const port = { value: options.port };
    const projections = await Projections.start(context);
    const subscriptions = await PersistentSubscriptions.start(context);
    const served = services(context, projections, subscriptions, () => port.value);
    for (const service of served) server.addService(service.definition, withRefusals(service));
    let listening: SharedPort;
    try {
      // TLS is terminated before the two protocols are separated, so each sees a plain connection.
      const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
      listening = await SharedPort.listen({
        ...{ host: options.host, port: options.port, tls },
        http2: (connection) => injector.injectConnection(connection),
        http1: httpApi(context, () => port.value, credentials),
      });
      port.value = listening.port;
    } catch (error) {
      server.forceShutdown();
      await subscriptions.close();
      await projections.close();
      throw error;
    }
    return new EventStoreServer(server, listening, stopping, projections, subscriptions);
  }

  /**
   * Accepts no new calls, answers accepted appends, ends subscriptions with "cancelled" as EventStoreDB does (so that
   * clients reconnect), and aborts what is not finished after `graceMs`.
   */
  async close(graceMs: number, clock: Clock): Promise<void> {
    const { server, listening, stopping, projections, subscriptions } = this;
    listening.close();
    const finished = new AbortController();
    const drained = new Promise<void>((resolve) => server.tryShutdown(() => resolve())).then(() => finished.abort());
    stopping.abort();
    await Promise.race([drained, clock.sleep(graceMs, finished.signal)]);
    server.forceShutdown();
    await subscriptions.close();
    await projections.close();
  }
}

/** Each service is one entry; together they determine the features that clients ask for. */
function services(
  context: ServerContext,
  projections: Projections,
  subscriptions: PersistentSubscriptions,
  port: () => number,
): ProtocolService[] {
  const served = [
    streamsService(context),
    persistentSubscriptionsService(context, subscriptions),
    projectionsService(context, projections),
    gossipService(context, port),
    operationsService(context, subscriptions),
    monitoringService(context),
  ];
  return [...served, serverFeaturesService(served)];
}
