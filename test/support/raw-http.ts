import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { recordAnswer } from './openapi-conformance';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface RawRequest {
  readonly method: string;
  /** Goes into the request line as it is. */
  readonly path: string;
  /** Names and values in turn, so that a header can come twice. */
  readonly headers?: readonly string[];
  readonly body?: string | Uint8Array;
  /** Sent in chunks, without an announced length. */
  readonly chunked?: boolean;
}

/** Sends what `fetch` would tidy up: odd paths, repeated headers, any bytes. */
export async function sendRaw(baseUrl: string, raw: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl);
  const body = raw.body === undefined ? null : Buffer.from(raw.body as string);
  const length =
    raw.chunked === true ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(body?.length ?? 0)];
  const headers = ['Host', `${hostname}:${port}`, ...(body === null ? [] : length), ...(raw.headers ?? [])];
  const { method, path } = raw;
  const outgoing = request({ hostname, port, method, path, headers, agent: false });
  const answer = await new Promise<RawAnswer>((resolve, reject) => {
    // A server that refuses early may close while the rest of the body is on its way: what it answered counts.
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    outgoing.end(body ?? undefined);
  });
  const received = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as const);
  recordAnswer(method, path, answer.status, received, answer.text);
  return answer;
}

/** Writes bytes that need not be HTTP, and gives all that came back until the other side closed. */
export async function sendBytes(baseUrl: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
  });
  socket.on('error', () => undefined);
  socket.write(bytes);
  await once(socket, 'close');
  return received;
}
