import type { AnswerDoc, OperationDoc, ResourceDocs } from '../openapi/operation-docs';
import { listOf, object, oneOf, ref, TEXT } from '../openapi/schema';

/** Public, static content: compressed, and answered with 304 if the client already has it. */
function fixed(
  description: string,
  answer: Pick<AnswerDoc, 'schema' | 'contentType' | 'headers'>,
): OperationDoc['answers'] {
  const headers = ['Cache-Control', 'ETag', 'Vary', ...(answer.headers ?? [])] as const;
  return {
    200: { ...answer, description, headers: [...headers, 'Content-Encoding'] },
    304: { description: 'It has not changed since the `ETag` in `If-None-Match`.', schema: null, headers },
  };
}

function documentOf(operationId: string, summary: string, description: string): OperationDoc {
  return {
    operationId,
    tag: 'Operations',
    summary,
    description,
    answers: fixed('The document.', { schema: { type: 'object' } }),
  };
}

function pageOf(operationId: string, summary: string): OperationDoc {
  const description = 'Shown by Scalar. This service serves all of it: nothing is loaded from another host.';
  const headers = ['Content-Security-Policy'] as const;
  const answers = fixed('The page.', { schema: { type: 'string' }, contentType: 'text/html', headers });
  return { operationId, tag: 'Operations', summary, description, answers };
}

/** Identifies the build that answers. */
const BUILD = { version: TEXT, commit: TEXT };

export const operationsDocs: ResourceDocs = {
  tag: { name: 'Operations', description: 'Health checks, metrics and this documentation. They need no token.' },
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
      summary: 'Check whether the process is alive',
      description: 'If there is no answer, restart the process.',
      answers: { 200: { description: 'The process is alive.', schema: ref('Liveness'), headers: ['Cache-Control'] } },
    },
    'GET /health/ready': {
      operationId: 'checkReadiness',
      tag: 'Operations',
      summary: 'Check whether the process is ready',
      description:
        'The process is not ready while a dependency that it needs is away, or while it stops. `reasons` also names what it can do without ' +
        'for a while; it stays ready then.',
      answers: {
        200: {
          description: 'The process is ready.',
          schema: ref('Readiness'),
          example: { status: 'ready', reasons: [], version: '1.4.0', commit: '1f0c2a9b7d3e' },
          headers: ['Cache-Control'],
        },
        503: {
          description: 'The process is not ready, and why.',
          schema: ref('Readiness'),
          headers: ['Cache-Control'],
        },
      },
    },
    'GET /metrics': {
      operationId: 'readMetrics',
      tag: 'Operations',
      summary: 'Read metrics',
      description: 'Returns the metrics in the text format of Prometheus. Do not expose this path to the public.',
      answers: {
        200: {
          description: 'All metrics.',
          schema: { type: 'string' },
          contentType: 'text/plain',
          headers: ['Cache-Control'],
        },
      },
    },
    'GET /openapi.json': documentOf('readOpenApi', "The merchants' document", 'The API for merchants in OpenAPI 3.1.'),
    'GET /openapi-operators.json': documentOf('readOperatorsOpenApi', 'This document', 'This API in OpenAPI 3.1.'),
    'GET /openapi-auditors.json': documentOf(
      'readAuditorsOpenApi',
      "The auditors' document",
      'The API for auditors in OpenAPI 3.1.',
    ),
    'GET /docs': pageOf('readDocs', "The merchants' document as a page"),
    'GET /docs/operators': pageOf('readOperatorsDocs', 'This document as a page'),
    'GET /docs/auditors': pageOf('readAuditorsDocs', "The auditors' document as a page"),
  },
};
