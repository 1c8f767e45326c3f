import { hash } from 'node:crypto';
import { fastify } from 'fastify';

/** Where the page takes Scalar's program from. */
export const PROGRAM_PATH = '/docs/scalar.js';

/**
 * Nothing is asked of another host, and no requests are sent from here. Headings have the addresses that this service's texts
 * name, such as `/docs#signing-requests`; Scalar itself scrolls to operations alone.
 */
const BEGIN = `
const wanted = location.hash.slice(1);
Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  documentDownloadType: 'direct',
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: 'never',
  hideTestRequestButton: true,
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  generateHeadingSlug: ({ slug }) => slug,
  generateOperationSlug: ({ operationId, path }) => operationId ?? path,
  onLoaded: () => document.getElementById(wanted)?.scrollIntoView(),
});`;

/** The OpenAPI document for people, shown by Scalar. */
export const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="icon" href="data:,">
    <title>Counterfoil API</title>
  </head>
  <body>
    <noscript>This page needs JavaScript. <a href="/openapi.json">/openapi.json</a> says the same.</noscript>
    <div id="reference"></div>
    <script src="${PROGRAM_PATH}"></script>
    <script>${BEGIN}</script>
  </body>
</html>
`;

/** Scalar puts its styles into the page as it runs; everything else is ours alone, and nothing may be evaluated. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${hash('sha256', BEGIN, 'base64')}'`,
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  'img-src data:',
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** Scalar's program as its package holds it. The package gives it to nobody but Fastify, as one of its routes. */
export async function scalarProgram(): Promise<string> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const shelf = fastify();
  await shelf.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
  const { statusCode, body } = await shelf.inject('/docs/js/scalar.js');
  if (statusCode !== 200) throw new Error(`Scalar's package answers ${statusCode} for its program`);
  return body;
}
