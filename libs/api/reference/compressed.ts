import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** In order of preference. The qualities compress a program of megabytes in about a second. */
const ENCODINGS = {
  br: (body: Buffer) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (body: Buffer) => promisify(gzip)(body, { level: 9 }),
} as const satisfies Readonly<Record<string, (body: Buffer) => Promise<Buffer>>>;
type Encoding = keyof typeof ENCODINGS;

/** The content changes only with a deployment. */
const CACHED = 'public, max-age=300';

interface Representation {
  readonly encoding: Encoding | null;
  readonly body: Buffer;
  readonly etag: string;
}

/** Public, constant content: built and compressed once, and not sent again to clients that have it. */
export interface Compressed {
  readonly contentType: string;
  /** The uncompressed one comes last. */
  readonly representations: readonly Representation[];
}

/**
 * Compresses in libuv's thread pool. Never use it for a response that contains both a secret and text chosen by the
 * caller: its length would reveal the secret (BREACH).
 */
export async function compressed(contentType: string, text: string): Promise<Compressed> {
  const body = Buffer.from(text);
  const digest = hash('sha256', body, 'base64url');
  const encoded = Object.entries(ENCODINGS).map(async ([encoding, compress]) => ({
    encoding: encoding as Encoding,
    body: await compress(body),
    etag: `"${digest}-${encoding}"`,
  }));
  return {
    contentType,
    representations: [...(await Promise.all(encoded)), { encoding: null, body, etag: `"${digest}"` }],
  };
}

export function send({ headers }: FastifyRequest, reply: FastifyReply, { contentType, representations }: Compressed) {
  const chosen = representations.find(
    ({ encoding }) => encoding === null || takes(headers['accept-encoding'], encoding),
  );
  if (chosen === undefined) throw new Error('There is always one without an encoding');
  reply.header('Cache-Control', CACHED).header('ETag', chosen.etag).header('Vary', 'Accept-Encoding');
  if (knows(headers['if-none-match'], chosen.etag)) return reply.code(304).send();
  if (chosen.encoding !== null) reply.header('Content-Encoding', chosen.encoding);
  return reply.type(contentType).send(chosen.body);
}

/** Listed, and without the weight 0. */
function takes(acceptEncoding: string | string[] | undefined, encoding: Encoding): boolean {
  return String(acceptEncoding ?? '')
    .toLowerCase()
    .split(',')
    .map((one) => one.split(';').map((part) => part.trim()))
    .some(([name, weight]) => name === encoding && !/^q=0(\.0*)?$/.test(weight ?? ''));
}

/** Caches in front of the service may weaken the ETag. */
function knows(ifNoneMatch: string | undefined, etag: string): boolean {
  return ifNoneMatch?.split(',').some((known) => known.trim().replace(/^W\//, '') === etag) === true;
}
