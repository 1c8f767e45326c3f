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
  /** Sent in the request line unchanged. */
  readonly path: string;
  /** Alternating names and values, so that a header can occur twice. */
  readonly headers?: readonly string[];
  readonly body?: string | Uint8Array;
  /** Sent in chunks, without a Content-Length. */
  readonly chunked?: boolean;
}

/** Sends what `fetch` would normalise: odd paths, repeated headers, any bytes. */
export async function sendRaw(baseUrl: string, raw: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl);
  const body = raw.body === undefined ? null : Buffer.from(raw.body as string);
  const length =
    raw.chunked === true ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(body?.length ?? 0)];
  const headers = ['Host', `${hostname}:${port}`, ...(body === null ? [] : length), ...(raw.headers ?? [])];
  const { method, path } = raw;
  const outgoing = request({ hostname, port, method, path, headers, agent: false });
  const answer = await new Promise<RawAnswer>((resolve, reject) => {
    // A server that refuses early may close while the body is still being sent: its response counts.
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

/**
 * Writes only the head of a request, by default complete and without a body, and returns the first response: for
 * requests that Node's own client would not send, or whose response it would miss because it is still sending.
 */
export async function sendHead(
  baseUrl: string,
  { method, path, headers = [] }: Omit<RawRequest, 'body' | 'chunked'>,
  end = '\r\n',
): Promise<RawAnswer> {
  const { hostname, port, host } = new URL(baseUrl);
  const fields = headers.flatMap((name, index) =>
    index % 2 === 0 ? [`${name}: ${headers[index + 1] ?? ''}\r\n`] : [],
  );
  const socket = connect(Number(port), hostname);
  const answer = await new Promise<RawAnswer>((resolve, reject) => {
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text;
      const whole = firstAnswer(received);
      if (whole !== null) resolve(whole);
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`${method} ${path} was answered with: ${received}`)));
    socket.write(`${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${fields.join('')}${end}`);
  });
  socket.destroy();
  recordAnswer(method, path, answer.status, Object.entries(answer.headers) as [string, string][], answer.text);
  return answer;
}

/** Null until the response is complete. */
function firstAnswer(received: string): RawAnswer | null {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd === -1) return null;
  const [first = '', ...lines] = received.slice(0, headEnd).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const body = Buffer.from(received.slice(headEnd + 4));
  const length = Number(headers['content-length']);
  if (body.length < length) return null;
  return { status: Number(first.split(' ')[1]), headers, text: body.subarray(0, length).toString('utf8') };
}

/** Sends bytes that need not be HTTP, and returns everything received until the other side closes. */
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
