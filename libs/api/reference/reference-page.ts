import { hash } from 'node:crypto';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { ABOUT } from './about';
import { type Audience, PLACES } from './audience';

/** The path from which the page loads Scalar's script. */
export const PROGRAM_PATH = '/docs/scalar.js';

/** Section headings are smaller than chapter headings, and a status is not wrapped. */
const STYLES =
  '.introduction-description-heading .markdown h3 { font-size: 1rem !important } .markdown td:first-child { min-width: 9em }';

/**
 * The page contacts no other host and sends no test requests. Headings get the ids that this service's texts link to,
 * such as `/docs#signing-requests`, because Scalar itself scrolls to operations only.
 */
const begin = (audience: Audience): string => `
const wanted = location.hash.slice(1);
Scalar.createApiReference('#reference', {
  url: '${PLACES[audience].document}',
  documentDownloadType: 'direct',
  withDefaultFonts: false,
  customCss: '${STYLES}',
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

interface ReferencePage {
  readonly html: string;
  /** Scalar inserts its styles at run time; everything else comes from this service, and eval is not allowed. */
  readonly contentSecurityPolicy: string;
}

/** A page that shows the audience's OpenAPI document with Scalar. */
export function referencePage(audience: Audience): ReferencePage {
  const script = begin(audience);
  const { document } = PLACES[audience];
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="icon" href="data:,">
    <title>${ABOUT[audience].title} API reference</title>
  </head>
  <body>
    <noscript>This page needs JavaScript. <a href="${document}">${document}</a> says the same.</noscript>
    <div id="reference"></div>
    <script src="${PROGRAM_PATH}"></script>
    <script>${script}</script>
  </body>
</html>
`;
  const contentSecurityPolicy = [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash('sha256', script, 'base64')}'`,
    "style-src 'unsafe-inline'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
  return { html, contentSecurityPolicy };
}

/** The package exposes its script only as a Fastify route. */
const READ_PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
void import(workerData.scalar).then(async ({ default: scalar }) => {
  const shelf = require(workerData.fastify)();
  await shelf.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
  const { body } = await shelf.inject('/docs/js/scalar.js');
  parentPort.postMessage(body);
});`;

/**
 * Scalar's script, as in its package. Loading the package takes some hundred milliseconds and 60 MB, so a worker thread
 * does it: requests continue meanwhile, and the memory is released.
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
