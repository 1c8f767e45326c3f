import { once } from 'node:events';
import { connect, constants, type OutgoingHttpHeaders } from 'node:http2';
import { gzipSync } from 'node:zlib';
import type { Play } from './cases';

const FEATURES = '/event_store.client.server_features.ServerFeatures/GetSupportedMethods';
const APPEND = '/event_store.client.streams.Streams/Append';
const NOTHING = frame(Buffer.alloc(0));
const GARBAGE = Buffer.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff);

interface Request {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: Buffer;
}

const REQUESTS: Readonly<Record<string, Request>> = {
  'unknown method': { path: '/event_store.client.streams.Streams/Nothing' },
  'unknown service': { path: '/event_store.client.nothing.Nothing/Nothing' },
  'path without method': { path: '/event_store.client.streams.Streams' },
  reflection: { path: '/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo' },
  'content-type grpc-web': { headers: { 'content-type': 'application/grpc-web' } },
  'content-type grpc+proto': { headers: { 'content-type': 'application/grpc+proto' } },
  'no te': { headers: { te: undefined } },
  'compressed flag, no encoding': { body: frame(gzipSync(Buffer.alloc(0)), 1) },
  'grpc-encoding identity': { headers: { 'grpc-encoding': 'identity' } },
  'grpc-encoding gzip, garbage': { headers: { 'grpc-encoding': 'gzip' }, body: frame(GARBAGE, 1) },
  'grpc-encoding gzip': { headers: { 'grpc-encoding': 'gzip' }, body: frame(gzipSync(Buffer.alloc(0)), 1) },
  'accepts gzip': { headers: { 'grpc-accept-encoding': 'gzip' } },
  'malformed protobuf unary': { body: frame(GARBAGE) },
  'malformed protobuf append': { path: APPEND, body: frame(GARBAGE) },
  'truncated frame': { body: Buffer.concat([Buffer.of(0, 0, 0, 0, 10), Buffer.alloc(3)]) },
  'two frames to unary': { body: Buffer.concat([NOTHING, NOTHING]) },
  'grpc-timeout 0': { headers: { 'grpc-timeout': '0S' } },
  'grpc-timeout garbage': { headers: { 'grpc-timeout': 'soon' } },
  GET: { method: 'GET', body: Buffer.alloc(0) },
  'GET /': { method: 'GET', path: '/', headers: { 'content-type': undefined }, body: Buffer.alloc(0) },
  'GET /health/live': {
    method: 'GET',
    path: '/health/live',
    headers: { 'content-type': undefined },
    body: Buffer.alloc(0),
  },
  'POST /streams/x over HTTP/2': {
    path: '/streams/x',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{}'),
  },
};

/** `raw http2 / what`: the status line, the trailers and the kind of body. */
export const rawRequests: Play = async (recorder, parts) => {
  const { path = FEATURES, method = 'POST', headers, body = NOTHING } = REQUESTS[parts.slice(1).join('/')] ?? {};
  const session = connect(`http://${recorder.client.getChannel().getTarget().replace(/^dns:/, '')}`);
  session.on('error', () => undefined);
  const stream = session.request(
    { ':method': method, ':path': path, 'content-type': 'application/grpc', te: 'trailers', ...headers },
    { endStream: body.length === 0 },
  );
  const lines: string[] = [];
  const chunks: Buffer[] = [];
  stream.on('response', (given) => lines.push(text(given)));
  stream.on('trailers', (given) => lines.push(`trailers ${text(given)}`));
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('error', () => undefined);
  if (body.length > 0) stream.end(body);
  await Promise.race([once(stream, 'end'), once(stream, 'close')]);
  lines.push(bodyText(Buffer.concat(chunks)));
  stream.close(constants.NGHTTP2_CANCEL);
  session.destroy();
  recorder.note('r', lines);
};

const TOLD = [':status', 'content-type', 'grpc-status', 'grpc-message', 'location'];

function text(headers: OutgoingHttpHeaders): string {
  // gRPC's content type has several spellings, and an empty message is none.
  return TOLD.filter((name) => !/^(undefined||application\/grpc.*)$/.test(String(headers[name])))
    .map((name) => `${name}=${decodeURI(String(headers[name]))}`)
    .join(' ');
}

function bodyText(body: Buffer): string {
  if (body.length === 0) return 'nothing';
  return body[0] === 0 ? 'a message' : body.toString();
}

function frame(message: Buffer, flag = 0): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flag, 0);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}
