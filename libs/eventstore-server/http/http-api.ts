import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { EventStoreUnavailableError } from '@app/event-sourcing';
import { type Credentials, credentialsCheck } from '../authentication';
import type { ServerContext } from '../context';
import { PROTOCOL_VERSION } from '../services/server-features';
import { statistics } from '../statistics';
import { type Answer, empty, json, text } from './answer';
import { answerStream } from './stream-feed';

/** The paths available without credentials, as over gRPC. */
const PUBLIC = ['/health/live', '/info', '/gossip', '/ping'];
/** Paths that exist in EventStoreDB, perhaps with credentials; everything else is 404. */
const KNOWN =
  /^\/(?:health\/live$|info$|gossip$|ping$|stats$|(?:streams|subscriptions|projections?|users|admin)(?:\/|$))/;
const NO_WRITES = 'Writes are not taken over HTTP: append, delete and manage over gRPC, on this same port';

/**
 * EventStoreDB's HTTP/1.1 endpoints for people and containers: liveness, server information, and the contents of a
 * stream. Read-only.
 */
export function httpApi(context: ServerContext, port: () => number, credentials?: Credentials): RequestListener {
  const isAuthentic = credentials === undefined ? () => true : credentialsCheck(credentials);
  const instanceId = context.random.uuid();
  const answer = (request: IncomingMessage): Answer => {
    const url = new URL(request.url ?? '/', `http://${request.headers.host ?? 'localhost'}`);
    const path = url.pathname;
    if (!KNOWN.test(path)) return empty(404);
    if (request.method !== 'GET' && request.method !== 'HEAD') return text(405, NO_WRITES);
    if (!PUBLIC.includes(path) && !isAuthentic(request.headers.authorization)) return text(401, 'Unauthenticated');
    switch (path) {
      case '/health/live':
        return empty(204);
      case '/info':
        return json(200, info(credentials));
      case '/ping':
        return json(200, { text: 'Ping request successfully handled', msgTypeId: 0, label: 'Http' });
      case '/gossip':
        return json(200, gossip(context, instanceId, url.hostname, port()));
      case '/stats':
        return json(200, statistics(context));
      default:
        return path.startsWith('/streams/') ? answerStream(context, url) : empty(404);
    }
  };
  return (request, response) => {
    let given: Answer;
    try {
      given = answer(request);
    } catch (error) {
      given = failure(context, request, error);
    }
    send(request, response, given);
  };
}

function info(credentials: Credentials | undefined): object {
  return {
    esVersion: PROTOCOL_VERSION,
    state: 'leader',
    features: { projections: true, userManagement: false, atomPub: true },
    authentication: { type: credentials === undefined ? 'insecure' : 'internal', properties: null },
  };
}

function gossip({ clock, log }: ServerContext, instanceId: string, host: string, port: number): object {
  const member = {
    ...{ instanceId, timeStamp: new Date(clock.nowMs()).toISOString(), state: 'Leader', isAlive: true },
    ...{ httpEndPointIp: host, httpEndPointPort: port, lastCommitPosition: Number(log.lastPosition) },
    ...{ nodePriority: 0, isReadOnlyReplica: false, esVersion: PROTOCOL_VERSION },
  };
  return { members: [member], serverIp: host, serverPort: port };
}

function failure(context: ServerContext, { url }: IncomingMessage, error: unknown): Answer {
  if (error instanceof EventStoreUnavailableError) return text(503, error.message);
  if (error instanceof TypeError || error instanceof URIError) return text(400, 'The address makes no sense');
  context.report.failure(`HTTP ${url}`, error);
  return text(500, 'Internal error');
}

function send({ method }: IncomingMessage, response: ServerResponse, { status, type, body }: Answer): void {
  response.writeHead(status, {
    ...(type === null ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) }),
    ...(status === 401 ? { 'www-authenticate': 'Basic realm="eventstore"' } : {}),
    ...(status === 405 ? { allow: 'GET, HEAD' } : {}),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(method === 'HEAD' ? undefined : body);
}
