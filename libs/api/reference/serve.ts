import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PUBLIC_PAGE, type PublicAccess } from '@app/platform/http/authentication/access';
import { JSON_UTF8 } from '@app/platform/http/errors/error-answers';
import type { RouteTable } from '@app/platform/http/route-table';
import { openApiDocument } from './document';
import { CONTENT_SECURITY_POLICY, PROGRAM_PATH, REFERENCE_PAGE, scalarProgram } from './reference-page';

const ANYBODY: PublicAccess = Object.freeze({ kind: 'public', body: 'none' });
/** The document changes with a deployment only. */
const CACHED = 'public, max-age=300';

/**
 * Serves the API's description as OpenAPI and as a page, to which the root leads. The document is made with the first request, and kept as long as the
 * service has the same `publicUrl`; Scalar's program is loaded when the first page asks for it.
 */
export function serveOpenApi(instance: FastifyInstance, routes: RouteTable, publicUrl: () => string): void {
  const json = kept((baseUrl) => served(JSON_UTF8, JSON.stringify(openApiDocument(routes.shapes, { baseUrl }))));
  const page = served('text/html; charset=utf-8', REFERENCE_PAGE);
  let program: Promise<Served> | null = null;
  const route = { config: { access: ANYBODY } };
  instance.get('/', { config: { access: PUBLIC_PAGE } }, (_request, reply) => reply.redirect('/docs'));
  instance.get('/openapi.json', route, (request, reply) => send(request, reply, json(publicUrl())));
  instance.get('/docs', route, (request, reply) => {
    reply.header('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    return send(request, reply, page);
  });
  instance.get(PROGRAM_PATH, { config: { access: PUBLIC_PAGE } }, async (request, reply) => {
    program ??= scalarProgram().then((text) => served('text/javascript; charset=utf-8', text));
    // The next one who asks tries again.
    program.catch(() => (program = null));
    return send(request, reply, await program);
  });
}

/** Makes it anew only when it is asked for with another argument than the last time. */
function kept<T>(make: (baseUrl: string) => T): (baseUrl: string) => T {
  let made: { readonly baseUrl: string; readonly value: T } | null = null;
  return (baseUrl) => {
    if (made?.baseUrl !== baseUrl) made = { baseUrl, value: make(baseUrl) };
    return made.value;
  };
}

/** Up to some megabytes: encoded once, and not sent to those who have them. */
interface Served {
  readonly contentType: string;
  readonly body: Buffer;
  readonly etag: string;
}

function served(contentType: string, text: string): Served {
  return { contentType, body: Buffer.from(text), etag: `"${hash('sha256', text, 'base64url')}"` };
}

function send({ headers }: FastifyRequest, reply: FastifyReply, { contentType, body, etag }: Served): FastifyReply {
  reply.header('Cache-Control', CACHED).header('ETag', etag);
  if (knows(headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type(contentType).send(body);
}

/** Caches in front of us may mark it as weak. */
function knows(ifNoneMatch: string | undefined, etag: string): boolean {
  return ifNoneMatch?.split(',').some((known) => known.trim().replace(/^W\//, '') === etag) === true;
}
