import type { FastifyInstance } from 'fastify';
import { PUBLIC_PAGE, type PublicAccess } from '@app/platform/http/authentication/access';
import { JSON_UTF8 } from '@app/platform/http/errors/error-answers';
import type { RouteTable } from '@app/platform/http/route-table';
import { AUDIENCES, PLACES } from './audience';
import { compressed, send } from './compressed';
import { openApiDocument } from './document';
import { PROGRAM_PATH, referencePage, scalarProgram } from './reference-page';
import { PICTURE_PATH, PICTURE_POLICY, statusPicture } from './status-picture';

const ANYBODY: PublicAccess = Object.freeze({ kind: 'public', body: 'none' });

/**
 * Serves the API's description as OpenAPI and as a page, for merchants and for operators. Content is built at its first
 * request; a document is cached as long as `publicUrl` stays the same.
 */
export function serveOpenApi(instance: FastifyInstance, routes: RouteTable, publicUrl: () => string): void {
  const documented = { config: { access: ANYBODY } };
  const undocumented = { config: { access: PUBLIC_PAGE } };
  for (const audience of AUDIENCES) {
    const document = kept((baseUrl) =>
      compressed(JSON_UTF8, JSON.stringify(openApiDocument(routes.shapes, { audience, baseUrl }))),
    );
    instance.get(PLACES[audience].document, documented, async (request, reply) =>
      send(request, reply, await document(publicUrl())),
    );
    const { html, contentSecurityPolicy } = referencePage(audience);
    const page = kept(() => compressed('text/html; charset=utf-8', html));
    instance.get(PLACES[audience].page, documented, async (request, reply) => {
      reply.header('Content-Security-Policy', contentSecurityPolicy);
      return send(request, reply, await page(''));
    });
  }
  instance.get('/', undocumented, (_request, reply) => reply.redirect(PLACES.merchants.page));
  const program = kept(async () => compressed('text/javascript; charset=utf-8', await scalarProgram()));
  instance.get(PROGRAM_PATH, undocumented, async (request, reply) => send(request, reply, await program('')));
  const picture = kept(() => compressed('image/svg+xml; charset=utf-8', statusPicture()));
  instance.get(PICTURE_PATH, undocumented, async (request, reply) => {
    reply.header('Content-Security-Policy', PICTURE_POLICY);
    return send(request, reply, await picture(''));
  });
}

/** Caches the last result; rebuilds it for another argument, or after a failure. */
function kept<T>(make: (baseUrl: string) => Promise<T>): (baseUrl: string) => Promise<T> {
  let made: { readonly baseUrl: string; readonly value: Promise<T> } | null = null;
  return async (baseUrl) => {
    if (made?.baseUrl !== baseUrl) made = { baseUrl, value: make(baseUrl) };
    const current = made;
    try {
      return await current.value;
    } catch (error) {
      if (made === current) made = null;
      throw error;
    }
  };
}
