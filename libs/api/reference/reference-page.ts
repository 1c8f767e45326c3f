import { hash } from 'node:crypto';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

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

/** The package gives the program to nobody but Fastify, as one of its routes. */
const READ_PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
void import(workerData.scalar).then(async ({ default: scalar }) => {
  const shelf = require(workerData.fastify)();
  await shelf.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
  const { body } = await shelf.inject('/docs/js/scalar.js');
  parentPort.postMessage(body);
});`;

/**
 * Scalar's program as its package holds it. To load the package takes some hundred milliseconds and 60 MB: a thread has them, so
 * that requests go on beside it, and gives them back.
 */
export async function scalarProgram(): Promise<string> {
  const workerData = {
    scalar: pathToFileURL(require.resolve('@scalar/fastify-api-reference')).href,
    fastify: require.resolve('fastify'),
  };
  const reader = new Worker(READ_PROGRAM, { eval: true, workerData, execArgv: [] });
  const [program] = (await once(reader, 'message')) as [string];
  return program;
}
