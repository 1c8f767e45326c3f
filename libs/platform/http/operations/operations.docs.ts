import type { AnswerDoc, ResourceDocs } from '../openapi/operation-docs';
import { listOf, object, oneOf, ref, TEXT } from '../openapi/schema';

const KNOWN_ALREADY: AnswerDoc = {
  description: 'It has not changed since the `ETag` that came as `If-None-Match`.',
  schema: null,
  headers: ['Cache-Control', 'ETag'],
};

/** Which program answers. */
const BUILD = { version: TEXT, commit: TEXT };

export const operationsDocs: ResourceDocs = {
  tag: { name: 'Operations', description: 'For probes, for Prometheus, and this documentation. Open to anybody.' },
  schemas: {
    Liveness: object({ status: oneOf('live'), ...BUILD }),
    Readiness: object({
      status: oneOf('ready', 'not ready'),
      reasons: listOf(object({ name: TEXT, reason: TEXT })),
      ...BUILD,
    }),
  },
  operations: {
    'GET /health/live': {
      operationId: 'checkLiveness',
      tag: 'Operations',
      summary: 'Whether the process lives',
      description: 'Whoever gets no answer should start it anew.',
      answers: { 200: { description: 'It lives.', schema: ref('Liveness'), headers: ['Cache-Control'] } },
    },
    'GET /health/ready': {
      operationId: 'checkReadiness',
      tag: 'Operations',
      summary: 'Whether requests should be sent here',
      description:
        'Not while a dependency is away that it needs, nor while the process stops. What it can do without for a while is told in ' +
        '`reasons`, too, and it stays ready.',
      answers: {
        200: {
          description: 'It is ready.',
          schema: ref('Readiness'),
          example: { status: 'ready', reasons: [], version: '1.4.0', commit: '1f0c2a9b7d3e' },
          headers: ['Cache-Control'],
        },
        503: { description: 'It is not ready, and why.', schema: ref('Readiness'), headers: ['Cache-Control'] },
      },
    },
    'GET /metrics': {
      operationId: 'readMetrics',
      tag: 'Operations',
      summary: 'What the service measures',
      description: "In Prometheus' text format. Keep it from the public in front of the service.",
      answers: {
        200: {
          description: 'All metrics.',
          schema: { type: 'string' },
          contentType: 'text/plain',
          headers: ['Cache-Control'],
        },
      },
    },
    'GET /openapi.json': {
      operationId: 'readOpenApi',
      tag: 'Operations',
      summary: 'This document',
      description: 'The description of this API in OpenAPI 3.1.',
      answers: {
        200: { description: 'The document.', schema: { type: 'object' }, headers: ['Cache-Control', 'ETag'] },
        304: KNOWN_ALREADY,
      },
    },
    'GET /docs': {
      operationId: 'readDocs',
      tag: 'Operations',
      summary: 'This document as a page',
      description:
        'The same document, shown by Scalar, which this service serves itself: nothing is loaded from another host.',
      answers: {
        200: {
          description: 'The page.',
          schema: { type: 'string' },
          contentType: 'text/html',
          headers: ['Cache-Control', 'Content-Security-Policy', 'ETag'],
        },
        304: { ...KNOWN_ALREADY, headers: ['Cache-Control', 'Content-Security-Policy', 'ETag'] },
      },
    },
  },
};
