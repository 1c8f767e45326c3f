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

/**
 * Serves the API's description as OpenAPI and as a page. Both are made with the first request, and kept as long as the service
 * has the same `publicUrl`.
 */
export function serveOpenApi(instance: FastifyInstance, routes: RouteTable, publicUrl: () => string): void {
  const document = kept((baseUrl) => openApiDocument(routes.shapes, { baseUrl }));
  const json = kept((baseUrl) => JSON.stringify(document(baseUrl)));
  const page = kept((baseUrl) => referencePage(document(baseUrl), baseUrl));
  const route = { config: { access: ANYBODY } };
  instance.get('/openapi.json', route, (_request, reply) => send(reply, JSON_UTF8, json(publicUrl())));
  instance.get('/docs', route, (_request, reply) => {
    reply.header('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    return send(reply, 'text/html; charset=utf-8', page(publicUrl()));
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

function send(reply: FastifyReply, contentType: string, body: string): FastifyReply {
  return reply.type(contentType).header('Cache-Control', CACHED).send(body);
}
