import type { FastifyInstance, FastifyReply } from 'fastify';
import type { PublicAccess } from '../authentication/access';
import { JSON_UTF8 } from '../errors/error-answers';
import type { RouteTable } from '../route-table';
import { openApiDocument } from './document';
import { CONTENT_SECURITY_POLICY } from './page/style';
import { referencePage } from './page/reference';

const ANYBODY: PublicAccess = Object.freeze({ kind: 'public', body: 'none' });
/** The document changes with a deployment only. */
const CACHED = 'public, max-age=300';

/** Serves the API's description as OpenAPI and as a page. Both are made with the first request, and kept. */
export function serveOpenApi(instance: FastifyInstance, routes: RouteTable): void {
  const document = once(() => openApiDocument(routes.shapes));
  const json = once(() => JSON.stringify(document()));
  const page = once(() => referencePage(document()));
  const route = { config: { access: ANYBODY } };
  instance.get('/openapi.json', route, (_request, reply) => send(reply, JSON_UTF8, json()));
  instance.get('/docs', route, (_request, reply) => {
    reply.header('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    return send(reply, 'text/html; charset=utf-8', page());
  });
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

function send(reply: FastifyReply, contentType: string, body: string): FastifyReply {
  return reply.type(contentType).header('Cache-Control', CACHED).send(body);
}
